/** Pages fit every screen: no sideways scroll, nothing cut off, nothing out of reach. */
import type { Page } from '@playwright/test';
import { open } from '../support/page.ts';
import { pages, postSlugs } from '../support/routes.ts';
import { expect, test } from '../support/test.ts';

const widths = [320, 360, 390, 768, 1024, 1440, 1920];

/** Words and controls that reach beyond the sides of the screen, even where a parent cuts them off. */
const cutOff = (page: Page) =>
  page.evaluate(() => {
    const all = document.querySelectorAll(
      'h1, h2, h3, p, a, button, input, textarea, li, img, dt, dd',
    );
    const beyond = [...all].filter((element) => {
      if (element.closest('[aria-hidden=true], #menu, .visually-hidden, [hidden]')) return false;
      if (!element.checkVisibility()) return false;
      const { left, right, width } = element.getBoundingClientRect();
      const decoy = right < 0;
      return width > 1 && !decoy && (left < -0.5 || right > innerWidth + 0.5);
    });
    return beyond.map((element) => element.outerHTML.slice(0, 120));
  });

for (const path of pages) {
  test(`${path} fits from 320 to 1920 px`, async ({ page }) => {
    await open(page, path);
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      const room = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        return scrollWidth - clientWidth;
      });
      expect(room, `${path} at ${width}`).toBe(0);
      expect(await cutOff(page), `${path} at ${width}`).toEqual([]);
    }
  });
}

test('the pages for unknown addresses fit too', async ({ page, problems }) => {
  problems.expect(/status of 404/);
  for (const path of ['/no-such-page', '/blog/no-such-post']) {
    await open(page, path);
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      const { scrollWidth, clientWidth } = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        return { scrollWidth, clientWidth };
      });
      expect(scrollWidth, `${path} at ${width}`).toBe(clientWidth);
      expect(await cutOff(page), `${path} at ${width}`).toEqual([]);
    }
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
