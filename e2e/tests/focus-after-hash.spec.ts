/** Where a link into a page leads, the keyboard goes on. */
import type { Page } from '@playwright/test';
import { markDocument, open, sameDocument } from '../support/page.ts';
import { serviceSections } from '../support/routes.ts';
import { expect, test } from '../support/test.ts';

const focusIsIn = (page: Page, id: string) =>
  page.evaluate((section) => !!document.activeElement?.closest(`#${section}`), id);

for (const { id, anchor, footer } of serviceSections) {
  test(`after a link to ${anchor} on another page, Tab is in ${id}`, async ({ page }) => {
    await open(page, '/about');
    await markDocument(page);
    await page.locator('footer').getByRole('link', { name: footer, exact: true }).focus();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`/services#${anchor}`);
    await expect(page.locator(`#${id} h2`)).toBeInViewport();
    await expect.poll(() => focusIsIn(page, id)).toBe(true);
    await page.keyboard.press('Tab');
    await expect(page.locator(`#${id} a`).first()).toBeFocused();
    // The place to begin at is not a stop of its own.
    await page.keyboard.press('Shift+Tab');
    expect(await focusIsIn(page, id)).toBe(false);
    expect(await sameDocument(page)).toBe(true);
  });
}

test('a click in the section it landed on still goes to the top', async ({ page }) => {
  await open(page, '/');
  await page.locator('main a[href="/services#ai-chatbots"]').click();
  await expect(page.locator('#ai-chatbots h2')).toBeInViewport();
  await expect.poll(() => focusIsIn(page, 'ai-chatbots')).toBe(true);
  await page.mouse.click(20, 500);
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0);
});

test('a hash that is no section leaves the page whole', async ({ page }) => {
  await open(page, '/');
  await markDocument(page);
  for (const hash of ['#%', '#%E0%A4%A', '#no-such-section']) {
    await page.evaluate((target) => void window.navigation.navigate(`/pricing${target}`), hash);
    await expect(page).toHaveTitle(/Pricing/);
    await expect(page.locator('h1')).toBeVisible();
    await page.evaluate(() => void window.navigation.navigate('/about'));
    await expect(page).toHaveTitle(/About/);
  }
  expect(await sameDocument(page)).toBe(true);
});
