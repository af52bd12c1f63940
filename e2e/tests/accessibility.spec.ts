/** No violation on any page, wide and narrow, with the menu and with the dialog open. */
import { expectAccessible } from '../support/axe.ts';
import { open } from '../support/page.ts';
import { pages, postSlugs } from '../support/routes.ts';
import { expect, test } from '../support/test.ts';

// With less motion everything is on screen at once, so that everything is looked at.
test.use({ contextOptions: { reducedMotion: 'reduce' } });

const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];

for (const size of sizes) {
  for (const path of pages) {
    test(`${path} has no violation at ${size.width} px`, async ({ page }) => {
      await page.setViewportSize(size);
      await open(page, path);
      await expectAccessible(page, path);
    });
  }

  test(`the pages for unknown addresses have none at ${size.width} px`, async ({
    page,
    problems,
  }) => {
    problems.expect(/status of 404/);
    await page.setViewportSize(size);
    for (const path of ['/no-such-page', '/blog/no-such-post']) {
      await open(page, path);
      await expectAccessible(page, path);
    }
  });

  test(`an open post has none at ${size.width} px`, async ({ page }) => {
    await page.setViewportSize(size);
    await open(page, '/blog');
    await page.locator(`main a[href="/blog/${postSlugs[0]}"]`).click();
    await expect(page.getByRole('dialog').locator('[data-prose] p').first()).toBeVisible();
    await expectAccessible(page, 'dialog');
  });
}

test('the open menu has no violation', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, '/');
  await page.getByRole('button', { name: 'Open menu' }).click();
  await expect(page.locator('#menu')).toBeVisible();
  await expectAccessible(page, 'menu');
});
