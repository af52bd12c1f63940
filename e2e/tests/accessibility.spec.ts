/** No violation on any page, wide and narrow, with the menu and with the dialog open. */
import type { Page } from '@playwright/test';
import { expectAccessible } from '../support/axe.ts';
import { observed, open } from '../support/page.ts';
import { pages, postSlugs } from '../support/routes.ts';
import { expect, test } from '../support/test.ts';

const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];

async function expectAccessibleAtAllSizes(page: Page, where: string) {
  for (const size of sizes) {
    await page.setViewportSize(size);
    await expectAccessible(page, `${where} at ${size.width}`);
  }
}

for (const path of pages) {
  test(`${path} hides nothing with less motion, and has no violation, wide and narrow`, async ({
    page,
  }) => {
    await open(page, path);
    await observed(page.locator('footer'));
    await expect(page.locator('[data-reveal=hidden]')).toHaveCount(0);
    await expectAccessibleAtAllSizes(page, path);
  });
}

test('the pages for unknown addresses have none', async ({ page, problems }) => {
  problems.expect(/status of 404/);
  for (const path of ['/no-such-page', '/blog/no-such-post']) {
    await open(page, path);
    await expectAccessibleAtAllSizes(page, path);
  }
});

test('an open post has none', async ({ page }) => {
  await open(page, '/blog');
  await page.locator(`main a[href="/blog/${postSlugs[0]}"]`).click();
  await expect(page.getByRole('dialog').locator('[data-prose] p').first()).toBeVisible();
  await expectAccessibleAtAllSizes(page, 'an open post');
});

test('the open menu has no violation', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, '/');
  await page.getByRole('button', { name: 'Open menu' }).click();
  await expect(page.locator('#menu')).toBeVisible();
  await expectAccessible(page, 'menu');
});
