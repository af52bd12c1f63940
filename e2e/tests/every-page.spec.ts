/** What holds for every page: whom it asks, how it looks at any width, on paper and in the visitor's colours, and that all can read it. */
import type { Page, Request } from '@playwright/test';
import { alive, observed, open } from '../support/page.ts';
import { expectAccessible, expectWhole, faults } from '../support/rendered.ts';
import { kinds, postSlugs } from '../support/routes.ts';
import { expect, test } from '../support/test.ts';

const widths = [320, 390, 768, 900, 1024, 1440, 1920];
/** Wider bars show the links themselves. */
const menuWidths = widths.filter((width) => width < 960);
/** A screen of 1280 by 800 at 200 %. */
const zoomed = { width: 640, height: 400 };
const unknown = ['/no-such-page', '/blog/no-such-post'];

for (const path of [...kinds, ...unknown]) {
  test(`${path} asks only its server for one script, is whole at every width, accessible, and readable on paper`, async ({
    page,
    app,
    problems,
  }) => {
    if (unknown.includes(path)) problems.expect(/status of 404/);
    const requests: Request[] = [];
    page.on('request', (request) => requests.push(request));
    await page.goto(path);
    await alive(page);
    // Pictures further down are requested when they come near.
    await page.evaluate(() => window.scrollTo({ top: 99_999, behavior: 'instant' }));
    await observed(page.locator('footer'));
    await page.waitForFunction(() => [...document.images].every((image) => image.complete));
    await page.evaluate(() => window.scrollTo({ top: 0, behavior: 'instant' }));

    await test.step('with less motion nothing is hidden, nothing moves and nothing offers to stop it', async () => {
      await expect.soft(page.locator('[data-reveal=hidden]')).toHaveCount(0);
      await expect.soft(page.locator('[data-pause-motion]:visible')).toHaveCount(0);
      expect.soft(await page.evaluate(() => document.getAnimations().length)).toBe(0);
    });
    await test.step('it is whole at every width', () => expectWhole(page, path, widths));
    await test.step('it has no violation', () => isAccessible(page, path));
    await test.step('it can be read on paper', () => expectReadableOnPaper(page));
    await test.step('it has asked only its server, for one script: no React, no particles, no scene', () => {
      const elsewhere = requests.map((request) => request.url()).filter(isElsewhere(app.url));
      expect.soft(elsewhere).toEqual([]);
      const scripts = requests.filter((request) => /script|fetch/.test(request.resourceType()));
      expect(scripts.map((request) => request.url())).toEqual([
        expect.stringMatching(/\/assets\/entry-client-[^/]+\.js$/),
      ]);
    });
  });
}

/** Only the bar is another one on a wide screen, and that is the same on every page. */
async function isAccessible(page: Page, path: string) {
  for (const width of path === '/' ? [1440, 390] : [390]) {
    await page.setViewportSize({ width, height: 900 });
    await expectAccessible(page, `${path} at ${width}`);
  }
}

const isElsewhere = (origin: string) => (address: string) =>
  !address.startsWith('data:') && new URL(address).origin !== origin;

/** Black words on white, without what only a screen needs. */
async function expectReadableOnPaper(page: Page) {
  await page.emulateMedia({ media: 'print' });
  expect.soft(await unreadable(page)).toEqual([]);
  for (const element of await page.locator('header, footer, #menu, canvas').all())
    await expect.soft(element).toBeHidden();
  await expect.soft(page.locator('h1')).toBeVisible();
  for (const link of (await page.locator('[data-prose] a').all()).slice(0, 1))
    await expect.soft(link).toHaveCSS('text-decoration-line', 'underline');
}

/** Words that are not black, or that lie on a background or a picture: browsers may leave backgrounds out. */
const unreadable = (page: Page) =>
  page.evaluate(() => {
    const pictures = [...document.images].map((image) => image.getBoundingClientRect());
    const hasWords = (element: Element) =>
      element.checkVisibility() &&
      !element.closest('.visually-hidden') &&
      [...element.childNodes].some((node) => node instanceof Text && node.data.trim());
    const isBlack = (element: Element) =>
      getComputedStyle(element).getPropertyValue('-webkit-text-fill-color') === 'rgb(0, 0, 0)';
    const hasBackground = (element: Element | null): boolean =>
      element !== null &&
      (['', '::before'].some((part) => {
        const { backgroundImage, backgroundColor } = getComputedStyle(element, part);
        return backgroundImage !== 'none' || backgroundColor !== 'rgba(0, 0, 0, 0)';
      }) ||
        hasBackground(element.parentElement));
    const isOnPicture = (element: Element) => {
      const box = element.getBoundingClientRect();
      return pictures.some(
        ({ top, bottom, left, right }) =>
          top < box.bottom && bottom > box.top && left < box.right && right > box.left,
      );
    };
    return [...document.body.querySelectorAll('*')]
      .filter(hasWords)
      .filter((each) => !isBlack(each) || hasBackground(each) || isOnPicture(each))
      .map((each) => each.outerHTML.slice(0, 80));
  });

test('each kind of fault is found', async ({ page }) => {
  const circle =
    'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
  const cards = (width: string, count: number) =>
    `<main><div style="display:flex;flex-wrap:wrap">${`<article style="width:${width}">x</article>`.repeat(count)}</div></main>`;
  const broken: [RegExp, string][] = [
    [/cut off by \d+ px at <div/, '<div style="overflow:clip;width:3rem"><p>Endlessly</p></div>'],
    [
      /cut off by \d+ px at <div/,
      '<div style="overflow:clip;height:2rem"><p>One</p><p>Two</p></div>',
    ],
    [/at the screen/, '<p style="margin-left:-2rem">Words that begin beyond the screen</p>'],
    [/from the edge of its card/, '<article style="border-radius:9px"><p>Close</p></article>'],
    [/"One" and "Two" lie over each other/, '<p>One</p><p style="margin-top:-2.5rem">Two</p>'],
    [
      /<a> "One" and <a> "Two" lie over/,
      '<a href="/">One</a><a href="/" style="margin-left:-1rem">Two</a>',
    ],
    [/"Words" lies over <button>/, '<button>One</button><p style="margin-top:-1.2rem">Words</p>'],
    [/is stretched by 2.00/, `<img src='${circle}' style="width:80px;height:40px">`],
    [/scrolls sideways by/, '<div style="width:2000px;height:1px"></div>'],
    [/"x" of 3 stands alone/, cards('40%', 3)],
    [/^$/, cards('40%', 4)],
    [/^$/, cards('100%', 3)],
    [/^$/, '<p>One</p><p>Two <a href="/">three</a></p>'],
  ];
  for (const [fault, html] of broken) {
    await page.setContent(`<body style="margin:1rem;font:1rem/1.5 sans-serif">${html}</body>`);
    await page.waitForFunction(() => [...document.images].every((image) => image.complete));
    expect.soft((await faults(page)).join('\n'), html).toMatch(fault);
  }
});

test('the open menu is whole at every width that has one, also at 200 % zoom, and accessible', async ({
  page,
}) => {
  await open(page, '/');
  for (const width of menuWidths) {
    await page.setViewportSize({ width, height: 740 });
    await page.getByRole('button', { name: 'Open menu' }).click();
    await expect(page.locator('#menu')).toBeVisible();
    expect.soft(await faults(page, '#menu'), `the menu at ${width}`).toEqual([]);
    if (width === 390) await expectAccessible(page, 'the menu');
    await page.getByRole('button', { name: 'Close menu' }).click();
    await expect(page.locator('#menu')).toBeHidden();
  }
  await page.setViewportSize(zoomed);
  expect((await page.locator('header').boundingBox())?.height).toBeLessThanOrEqual(100);
  await expect(page.locator('h1')).toBeInViewport();
  await page.getByRole('button', { name: 'Open menu' }).click();
  const booking = page.locator('#menu').getByRole('link', { name: 'Book Free Strategy Call' });
  await booking.scrollIntoViewIfNeeded();
  await expect(booking).toBeInViewport({ ratio: 1 });
});

test('an open post is whole at every width, also at 200 % zoom, and accessible', async ({
  page,
}) => {
  await open(page, '/blog');
  await page.locator(`main a[href="/blog/${postSlugs[0]}"]`).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.locator('[data-prose] p').first()).toBeVisible();
  await expectWhole(page, 'the post', widths, 'dialog');
  await page.setViewportSize({ width: 390, height: 900 });
  await expectAccessible(page, 'the post');

  await page.setViewportSize(zoomed);
  const call = dialog.getByRole('link', { name: /Free Strategy Call/ });
  await call.scrollIntoViewIfNeeded();
  await expect(call).toBeInViewport();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(dialog).toHaveCount(0);
});

test.describe('with forced colours', () => {
  test.use({ forcedColors: 'active' });

  test('buttons, cards and the headline can be made out', async ({ page }) => {
    await page.goto('/pricing');
    const button = page.getByRole('link', { name: 'Book Free Strategy Call' }).last();
    const card = page.locator('main article').first();
    for (const element of [button, card]) {
      await expect(element).toHaveCSS('border-top-style', 'solid');
      await expect(element).not.toHaveCSS('border-top-width', '0px');
    }
    await page.goto('/');
    const word = page.locator('h1 > span > span').last();
    await expect(word).toHaveCSS('background-image', 'none');
    await expect(word).not.toHaveCSS('-webkit-text-fill-color', /, 0\)$/);
  });
});
