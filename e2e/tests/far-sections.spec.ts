/** What is far from the screen waits until the page is idle, and nobody notices. */
import type { Locator, Page } from '@playwright/test';
import { jumpTo, open, settled, withoutFonts } from '../support/page.ts';
import { postSlugs } from '../support/routes.ts';
import { expect, test } from '../support/test.ts';

// Places on a page are compared with those after another load.
test.beforeEach(({ context }) => withoutFonts(context));

const height = (page: Page) => page.evaluate(() => document.documentElement.scrollHeight);

/** How many of the elements are passed over at the moment. */
const skipped = (page: Page, selector: string) =>
  page
    .locator(selector)
    .evaluateAll(
      (all) =>
        all.filter(
          ({ firstElementChild }) =>
            firstElementChild?.checkVisibility({ contentVisibilityAuto: true }) === false,
        ).length,
    );

async function wholeHeight(page: Page): Promise<number> {
  await page.evaluate(() => document.documentElement.toggleAttribute('data-whole', true));
  return height(page);
}

for (const path of ['/', '/services', '/about', '/privacy', `/blog/${postSlugs[0]}`]) {
  test(`${path} has its full height once it is idle`, async ({ page, context }) => {
    const other = await context.newPage();
    await other.goto(path);
    const full = await wholeHeight(other);
    await other.close();
    await open(page, path);
    await expect.poll(() => height(page)).toBe(full);
  });
}

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 } });

  for (const path of ['/', '/blog']) {
    test(`pictures of ${path} that come late have their room kept free`, async ({ page }) => {
      await open(page, path);
      const pictures = await page.locator('[data-late]').all();
      expect(pictures.length).toBeGreaterThan(2);
      const room = (picture: Locator) => picture.evaluate((box) => box.clientHeight);
      const passedOver = await Promise.all(pictures.map(room));
      for (const picture of pictures)
        await picture.evaluate((box: HTMLElement) =>
          Object.assign(box.style, { contentVisibility: 'visible' }),
        );
      expect(await Promise.all(pictures.map(room))).toEqual(passedOver);
    });
  }
});

test('sections far down the page are passed over until it is idle', async ({ page }) => {
  await page.goto('/');
  expect(await skipped(page, 'main > section')).toBeGreaterThan(2);
  await expect(page.locator('html')).toHaveAttribute('data-alive', '');
  await expect.poll(() => skipped(page, 'main > section')).toBe(0);
});

test('a page opened at one of its sections is laid out whole', async ({ page }) => {
  await page.goto('/services#business-automation');
  expect(await skipped(page, 'main > section')).toBe(0);
});

for (const path of ['/', '/privacy']) {
  test(`${path} stands where it was left when it is loaded again or returned to`, async ({
    page,
  }) => {
    const last = page.locator('main :is(h2, h3)').last();
    const place = async () => Math.round((await last.boundingBox())?.y ?? Number.NaN);
    await open(page, path);
    await page.evaluate(() => document.documentElement.toggleAttribute('data-whole', true));
    await jumpTo(page, Math.round((await height(page)) * 0.7));
    const left = await place();
    await page.reload();
    await expect.poll(place).toBe(left);
    await page.goto('about:blank');
    await page.goBack();
    await expect.poll(place).toBe(left);
    // Nor does it move as the page comes to rest.
    await expect(page.locator('html')).toHaveAttribute('data-alive', '');
    await settled(page);
    expect(await place()).toBe(left);
  });
}

test('the keyboard reaches what is far down the page, and brings it on screen', async ({
  page,
}) => {
  await page.goto('/');
  const link = page.locator('main > section').last().locator('a, input, textarea').last();
  await link.evaluate((element) => (element as HTMLElement).focus());
  await expect(link).toBeInViewport();
});

test.describe('without a script', () => {
  test.use({ javaScriptEnabled: false });

  test('nothing waits for one', async ({ page }) => {
    await page.goto('/about');
    const last = page.locator('main > section').last();
    await expect(last).toHaveCSS('content-visibility', 'visible');
  });
});
