/** Every page, at every width, as it is rendered: nothing cut off, nothing over anything else, nothing alone in its row. */
import { open } from '../support/page.ts';
import { faults, wholePage } from '../support/rendered.ts';
import { pages, postSlugs } from '../support/routes.ts';
import { expect, test } from '../support/test.ts';
import { singleInRow } from '../support/variants.ts';

const widths = [320, 360, 390, 600, 768, 900, 1024, 1280, 1440, 1920];
/** Wider bars show the links themselves. */
const menuWidths = widths.filter((width) => width < 960);

test('each kind of fault is found', async ({ page }) => {
  const circle =
    'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
  const broken: [RegExp, string][] = [
    [
      /cut off by \d+ px at <div/,
      '<div style="overflow:clip;width:3rem"><p>Incomprehensible</p></div>',
    ],
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
  ];
  for (const [fault, html] of broken) {
    await page.setContent(`<body style="margin:1rem;font:1rem/1.5 sans-serif">${html}</body>`);
    await wholePage(page);
    expect((await faults(page)).join('\n')).toMatch(fault);
  }
  await page.setContent('<body><p>One</p><p>Two <a href="/">three</a></p></body>');
  expect(await faults(page)).toEqual([]);
});

for (const path of [...pages, '/no-such-page', '/blog/no-such-post']) {
  test(`${path} is whole at every width`, async ({ page, problems }) => {
    if (path.includes('no-such')) problems.expect(/status of 404/);
    await open(page, path);
    await wholePage(page);
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      const found = [...(await faults(page)), ...(await singleInRow(page))];
      expect.soft(found, `${path} at ${width}`).toEqual([]);
    }
  });
}

test('the open menu is whole at every width that has one', async ({ page }) => {
  await open(page, '/');
  for (const width of menuWidths) {
    await page.setViewportSize({ width, height: 740 });
    await page.getByRole('button', { name: 'Open menu' }).click();
    await expect(page.locator('#menu')).toBeVisible();
    expect.soft(await faults(page, '#menu'), `the menu at ${width}`).toEqual([]);
    await page.getByRole('button', { name: 'Close menu' }).click();
    await expect(page.locator('#menu')).toBeHidden();
  }
});

test('the open post is whole at every width', async ({ page }) => {
  await open(page, '/blog');
  await page.locator(`main a[href="/blog/${postSlugs[0]}"]`).click();
  await expect(page.locator('dialog [data-prose] p').first()).toBeVisible();
  await wholePage(page);
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    expect.soft(await faults(page, 'dialog'), `the post at ${width}`).toEqual([]);
  }
});

test.describe('at 200 % zoom of a 1280 by 800 screen', () => {
  test.use({ viewport: { width: 640, height: 400 } });

  test('the end of the menu can be reached', async ({ page }) => {
    await open(page, '/');
    await page.getByRole('button', { name: 'Open menu' }).click();
    const booking = page.locator('#menu').getByRole('link', { name: 'Book Free Strategy Call' });
    await booking.scrollIntoViewIfNeeded();
    await expect(booking).toBeInViewport({ ratio: 1 });
  });

  test('an open post can be read to its end and closed', async ({ page }) => {
    await open(page, '/blog');
    await page.locator(`main a[href="/blog/${postSlugs[0]}"]`).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('link', { name: /Free Strategy Call/ }).scrollIntoViewIfNeeded();
    await expect(dialog.getByRole('link', { name: /Free Strategy Call/ })).toBeInViewport();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expect(dialog).toHaveCount(0);
  });

  test('the bar leaves most of the screen to the page', async ({ page }) => {
    await open(page, '/');
    expect((await page.locator('header').boundingBox())?.height).toBeLessThanOrEqual(100);
    await expect(page.locator('h1')).toBeInViewport();
  });
});
