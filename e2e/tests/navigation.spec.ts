/** Going from page to page and to sections: by links, back and forward, without loading a new document. */
import type { APIRequestContext, Locator, Page, Route } from '@playwright/test';
import {
  alive,
  barLink,
  bringOnScreen,
  expectAtTop,
  jumpTo,
  markDocument,
  middleOf,
  noteOwnScrolls,
  open,
  ownScrolls,
  sameDocument,
  scrollY,
} from '../support/page.ts';
import { navigation, serviceSections } from '../support/routes.ts';
import { expect, test } from '../support/test.ts';

const bar = (page: Page) =>
  page.locator('header').getByRole('navigation', { name: 'Main menu' }).first();
const footerLink = (page: Page, name: string) =>
  page.locator('footer').getByRole('link', { name, exact: true });

/** Everything in the head that belongs to the page, as plain text in a fixed order. */
const headData = (page: Page) => page.evaluate(readHead, '');

/** The same of another page as it is served. Its styles stay out: this page's policy forbids them. */
async function servedHead(page: Page, request: APIRequestContext, path: string) {
  const html = await (await request.get(path)).text();
  const [head = ''] = html.replaceAll(/<style.*?<\/style>/gs, '').split('</head>');
  return page.evaluate(readHead, head);
}

/** Runs in the browser. */
function readHead(html: string) {
  const parsed = html ? new DOMParser().parseFromString(html, 'text/html') : document;
  const tags = parsed.head.querySelectorAll(
    'title, meta[name], meta[property], link[rel=canonical], script[type="application/ld+json"]',
  );
  return [...tags].map((tag) => tag.outerHTML).toSorted();
}

/** Runs in the browser. */
function lookOf(element: Element) {
  const { color, backgroundColor, boxShadow } = getComputedStyle(element);
  return [color, backgroundColor, boxShadow, getComputedStyle(element, '::after').content];
}

test('links change page, head and highlighted link in one document, move the focus and announce the title', async ({
  page,
  request,
}) => {
  await open(page, '/');
  await markDocument(page);
  const links = bar(page).getByRole('link');
  await expect(links).toHaveText(navigation.map(({ name }) => name));
  for (const [index, { path }] of navigation.entries())
    await expect(links.nth(index)).toHaveAttribute('href', path);
  for (const { name, path } of [...navigation.slice(1), ...navigation.slice(0, 1)]) {
    await barLink(page, name).click();
    await expect(page).toHaveURL(path);
    const current = bar(page).locator('[aria-current=page]');
    await expect(current).toHaveText([name]);
    const other = links.nth(name === 'Home' ? 1 : 0);
    expect(await current.evaluate(lookOf), name).not.toEqual(await other.evaluate(lookOf));
    expect(await headData(page), path).toEqual(await servedHead(page, request, path));
    await expect(page.locator('#main')).toBeFocused();
    const announced = page.locator('[aria-live=polite][role=status]').last();
    await expect(announced).toHaveText(await page.title());
    expect(await sameDocument(page), path).toBe(true);
  }
});

test('back and forward show pages as they were served, from the top, in the same document', async ({
  page,
}) => {
  await open(page, '/');
  await markDocument(page);
  await barLink(page, 'Services').click();
  await expect(page.locator('h1')).toHaveText('More customers, less busywork');
  await barLink(page, 'Contact').click();
  await expect(page).toHaveTitle(/Contact/);
  await page.locator('main h1').evaluate((heading) => heading.remove());
  await jumpTo(page, 500);
  await page.goBack();
  await expect(page).toHaveURL('/services');
  await expect(page).toHaveTitle(/Services/);
  await expect.poll(() => scrollY(page)).toBe(0);
  await page.goForward();
  await expect(page).toHaveTitle(/Contact/);
  await expect(page.locator('main h1')).toBeVisible();
  await expect.poll(() => scrollY(page)).toBe(0);
  expect(await sameDocument(page)).toBe(true);
});

test('with reduced motion a link is at the top at once, to another page and to the same', async ({
  page,
}) => {
  await open(page, '/terms');
  await markDocument(page);
  for (const top of [1200, 900]) {
    await jumpTo(page, top);
    await noteOwnScrolls(page);
    await barLink(page, 'Services').click();
    await expect(page).toHaveTitle(/Services/);
    await expect.poll(() => scrollY(page)).toBe(0);
    expect(await ownScrolls(page)).toEqual([0]);
  }
  expect(await sameDocument(page)).toBe(true);
});

test('a page that cannot be fetched, is unknown or of another version is loaded as a document', async ({
  page,
  problems,
}) => {
  problems.expect(/Failed to load resource/);
  const ofAnotherRelease = async (route: Route) => {
    const response = await route.fetch();
    const version = /name="pages-version" content="[^"]*"/;
    const html = (await response.text()).replace(version, 'name="pages-version" content="next"');
    await route.fulfill({ response, body: html });
  };
  for (const answer of [(route: Route) => route.abort(), ofAnotherRelease]) {
    await open(page, '/');
    await markDocument(page);
    const handler = (route: Route) =>
      route.request().isNavigationRequest() ? route.continue() : answer(route);
    await page.route('**/about', handler);
    await barLink(page, 'About').click();
    await expect(page.locator('h1')).toHaveText('Big-company tools, small-business sense');
    await expect(page).toHaveURL('/about');
    await alive(page);
    expect(await sameDocument(page)).toBe(false);
    await page.unroute('**/about', handler);
  }
  await page.evaluate(() => void window.navigation.navigate('/blog/no-such-post'));
  await expect(page.locator('h1')).toHaveText('Blog Post Not Found');
});

test('the bar is clear up to 10 px, solid with a shadow beyond, and never squeezed', async ({
  page,
}) => {
  await open(page, '/');
  const header = page.locator('header');
  const expectClear = async () => {
    await expect(header).toHaveCSS('background-color', 'rgba(0, 0, 0, 0)');
    await expect(header).toHaveCSS('box-shadow', 'none');
  };
  await expect(header).toHaveCSS('position', 'fixed');
  await expectClear();
  await jumpTo(page, 10);
  await expectClear();
  await jumpTo(page, 11);
  await expect(header).not.toHaveCSS('box-shadow', 'none');
  // Solid: what lies behind may shine through a little, no more.
  const opacity = () =>
    header.evaluate((element) => {
      const color = getComputedStyle(element).backgroundColor;
      const [, alpha] = /[,/]\s*([\d.]+)\)$/.exec(color) ?? [];
      return color.startsWith('rgb(') ? 1 : Number(alpha);
    });
  await expect.poll(opacity).toBeGreaterThan(0.85);
  await jumpTo(page, 0);
  await expectClear();

  const sizes = async (width: number) => {
    await page.setViewportSize({ width, height: 900 });
    return header
      .locator('a, button')
      .evaluateAll((all) =>
        all.map((part) => [
          part.getBoundingClientRect().width,
          part.getBoundingClientRect().height,
        ]),
      );
  };
  const roomy = await sizes(1440);
  expect(await sizes(960)).toEqual(roomy);
});

test('a fresh load lands on the section, under either name, with a solid bar', async ({ page }) => {
  for (const [width, id, name] of [
    [1440, 'website-design', 'website-design'],
    [390, 'ai-chatbots', 'chatbots'],
  ] as const) {
    await page.setViewportSize({ width, height: 844 });
    await open(page, `/services#${name}`);
    await expectAtTop(page, id);
    await expect(page.locator('header')).not.toHaveCSS('box-shadow', 'none');
  }
  await open(page, '/#contact');
  await expect(page.locator('#contact h2')).toBeInViewport();
});

test('home cards lead to their sections, and back to the section and to the page before', async ({
  page,
}) => {
  await open(page, '/');
  await markDocument(page);
  for (const { id } of serviceSections) {
    await page.locator(`main a[href="/services#${id}"]`).click();
    await expect(page).toHaveURL(`/services#${id}`);
    await expectAtTop(page, id);
    await page.goBack();
    await expect(page.locator('h1')).toContainText('Grow Your Business Fast');
  }
  await page.goForward();
  await barLink(page, 'Pricing').click();
  await expect(page).toHaveTitle(/Pricing/);
  await expect.poll(() => scrollY(page)).toBe(0);
  await page.goBack();
  await expectAtTop(page, 'business-automation');
  expect(await sameDocument(page)).toBe(true);
});

test('every part of a card leads where its one link leads, with a modifier key in a new tab', async ({
  page,
  context,
}) => {
  await open(page, '/');
  const cardOf = (id: string) =>
    page.locator('main article', { has: page.locator(`a[href="/services#${id}"]`) });
  for (const { id } of serviceSections) {
    const title = (await cardOf(id).locator('h3').textContent()) ?? '';
    await expect(cardOf(id).getByRole('link')).toHaveCount(1);
    await expect(cardOf(id).getByRole('link')).toHaveAccessibleName(`Learn More ${title}`);
  }
  const press = async (element: Locator) => {
    await bringOnScreen(element);
    const { x, y } = await middleOf(element);
    await page.mouse.click(x, y);
  };
  const card = cardOf('website-design');
  for (const part of ['p >> nth=0', 'img']) {
    await press(card.locator(part));
    await expect(page, part).toHaveURL('/services#website-design');
    await page.goBack();
    await expect(page.locator('h1')).toContainText('Grow Your Business Fast');
  }
  const opened = context.waitForEvent('page');
  await page.keyboard.down('Control');
  await press(card.locator('p').nth(1));
  await page.keyboard.up('Control');
  await expect(await opened).toHaveURL('/services#website-design');
  await expect(page).toHaveURL('/');

  await barLink(page, 'Blog').click();
  await expect(page).toHaveTitle(/Blog/);
  const post = page.locator('main article').first();
  const title = (await post.getByRole('heading').textContent()) ?? '';
  await press(post.locator('p').first());
  await expect(page.getByRole('dialog')).toHaveAccessibleName(title);
});

test('the footer leads to each section, where Tab goes on and a click still goes to the top', async ({
  page,
}) => {
  const id = 'ai-chatbots';
  const focusIsInside = () =>
    page.evaluate((section) => !!document.activeElement?.closest(`#${section}`), id);
  await open(page, '/about');
  await markDocument(page);
  await footerLink(page, 'Chatbots').focus();
  await page.keyboard.press('Enter');
  await expectAtTop(page, id);
  await expect.poll(focusIsInside).toBe(true);
  await page.keyboard.press('Tab');
  await expect(page.locator(`#${id} a`).first()).toBeFocused();
  // The place to begin at is not a stop of its own.
  await page.keyboard.press('Shift+Tab');
  expect(await focusIsInside()).toBe(false);

  // On the page itself too, again and again.
  for (const section of [...serviceSections, ...serviceSections.slice(-1)]) {
    await footerLink(page, section.footer).click();
    await expectAtTop(page, section.id);
  }
  await page.mouse.click(20, 500);
  await expect.poll(() => scrollY(page)).toBe(0);
  expect(await sameDocument(page)).toBe(true);
});
