/** Enlarged pages: nothing is out of reach. */
import { open } from '../support/page.ts';
import { postSlugs } from '../support/routes.ts';
import { expect, test } from '../support/test.ts';

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
