/** Every kind of page, and the ways between them, in engines other than Chromium's. */
import { kinds, navigation, postSlugs, serviceSections } from '../support/routes.ts';
import { expect, test } from './test.ts';
import type { Visitor } from './visitor.ts';

const heading = 'main h1';

test('on a phone every kind of page shows itself, and the menu opens, locks the page, closes and leads on', async ({
  visitor,
}) => {
  await visitor.resize(360, 740);
  for (const path of kinds) {
    await visitor.goto(path);
    await visitor.reads(heading, /\S/);
    await visitor.sees(`${path} is loaded`, () => document.readyState, 'complete');
    await visitor.isReady();
    const beyond = () => document.documentElement.scrollWidth - innerWidth;
    expect(await visitor.evaluate(beyond), path).toBeLessThanOrEqual(0);
  }

  await visitor.goto('/');
  await visitor.isReady();
  const overflow = () => getComputedStyle(document.documentElement).overflowY;
  const free = await visitor.evaluate(overflow);
  const link: [string, string] = ['#menu a', 'About'];
  const open = async () => {
    await visitor.press(['header button', 'Open menu']);
    await visitor.reads(link, 'About');
    await visitor.sees('the page is locked', overflow, 'hidden');
  };
  const isClosed = async () => {
    await visitor.isGone('#menu');
    await visitor.sees('the page is free', overflow, free);
  };
  await open();
  await visitor.press(['header button', 'Close menu']);
  await isClosed();
  await open();
  // Through the toggle, six links and the booking button, and beyond.
  for (let step = 0; step < 12; step += 1) {
    await visitor.key('Tab');
    const isBehind = () => document.activeElement?.closest('main, footer') !== null;
    expect(await visitor.evaluate(isBehind)).toBe(false);
  }
  await visitor.key('Escape');
  await isClosed();
  await open();
  await visitor.press(link);
  await visitor.isAt('/about');
  await isClosed();
  await visitor.reads(heading, /\S/);

  await visitor.resize(800, 700);
  const place = { x: 150, y: 300 };
  await visitor.evaluate(({ x, y }) => {
    const link = document.createElement('a');
    link.href = '/pricing';
    link.textContent = 'A link beside the menu';
    Object.assign(link.style, { position: 'fixed', top: `${y - 9}px`, left: `${x - 50}px` });
    document.getElementById('main')?.append(link);
  }, place);
  await open();
  await visitor.pressAt(place.x, place.y);
  await isClosed();
  await visitor.isAt('/about');
  await visitor.pressAt(place.x, place.y);
  await visitor.isAt('/pricing');
});

async function isBelowTheBar(visitor: Visitor, id: string) {
  const distance = (wanted: string) => {
    const top = document.getElementById(wanted)?.getBoundingClientRect().top ?? Number.NaN;
    const bar = document.querySelector('header')?.getBoundingClientRect().height ?? Number.NaN;
    return Math.abs(top - bar) <= 3;
  };
  await visitor.sees(`${id} stands below the bar`, distance, true, id);
}

test('links lead from page to page and to sections, back and forward return, and Tab goes through the bar or past it', async ({
  visitor,
}) => {
  await visitor.goto('/');
  const title = () => visitor.evaluate(() => document.title).catch(() => '');
  const titles = new Map<string, string>();
  for (const { name, path } of [...navigation.slice(1), ...navigation.slice(0, 1)]) {
    const before = await title();
    await visitor.press(['header nav a', name]);
    await visitor.isAt(path);
    await visitor.reads('header nav [aria-current=page]', name);
    // Each page has a title of its own, which may come a moment after its address.
    await expect.poll(async () => ['', before].includes(await title()), path).toBe(false);
    titles.set(path, await title());
  }
  for (const [way, path] of [
    ['back', '/contact'],
    ['back', '/blog'],
    ['forward', '/contact'],
  ] as const) {
    await visitor.evaluate((go) => history[go](), way);
    await visitor.isAt(path);
    await visitor.sees(`the title of ${path}`, () => document.title, titles.get(path) ?? '');
    await visitor.reads(heading, /\S/);
  }

  // The first link comes from another page.
  for (const { id, anchor, footer } of serviceSections) {
    await visitor.press(['footer a', footer]);
    await visitor.isAt(`/services#${anchor}`);
    await isBelowTheBar(visitor, id);
  }
  await visitor.goto('/pricing');
  await visitor.goto('/services#chatbots');
  await isBelowTheBar(visitor, 'ai-chatbots');

  await visitor.goto('/about');
  await visitor.isReady();
  const focused = () => document.activeElement?.textContent?.trim() ?? '';
  await visitor.key('Tab');
  await visitor.sees('the skip link', focused, 'Skip to content');
  // The mark of the house comes first.
  await visitor.key('Tab');
  await visitor.sees('the way home', () => document.activeElement?.getAttribute('href'), '/');
  for (const { name } of navigation) {
    await visitor.key('Tab');
    await visitor.sees(name, focused, name);
  }
  await visitor.goto('/services');
  await visitor.key('Tab');
  await visitor.key('Enter');
  await visitor.sees('the focus is on the content', () => document.activeElement?.id, 'main');
});

test('a page that is loaded again stands where it was left', async ({ visitor }) => {
  visitor.proxy.withoutFonts();
  await visitor.goto('/');
  await visitor.isReady();
  const place = () =>
    Math.round(document.querySelector('#contact')?.getBoundingClientRect().top ?? Number.NaN);
  await visitor.evaluate(() => {
    document.documentElement.dataset.whole = '';
    scrollTo({ top: 3000, behavior: 'instant' });
  });
  const left = await visitor.evaluate(place);
  await visitor.evaluate(() => {
    Reflect.set(window, 'left', true);
    location.reload();
  });
  await visitor.sees('the page is loaded again', () => 'left' in window, false);
  await visitor.isReady();
  await visitor.sees('it stands where it was left', place, left);
});

test('a post opens over the list and closes by its button, beside it and by Escape', async ({
  visitor,
}) => {
  await visitor.goto('/blog');
  await visitor.isReady();
  const dialog = 'dialog[open]';
  const ways = [
    () => visitor.press([`${dialog} button`, 'Close']),
    () => visitor.pressAt(8, 400),
    () => visitor.key('Escape'),
  ];
  for (const [index, close] of ways.entries()) {
    const link = `main a[href="/blog/${postSlugs[index]}"]`;
    await visitor.press(link);
    await visitor.reads(`${dialog} [data-prose]`, /\S/);
    await close();
    await visitor.isGone(dialog);
    await visitor.isAt('/blog');
    const hasFocus = (selector: string) => document.activeElement?.matches(selector) === true;
    await visitor.sees('the focus is back', hasFocus, true, link);
  }
});
