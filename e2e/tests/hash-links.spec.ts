/** Links into a page: both names of each service's section, from everywhere. */
import type { Page } from '@playwright/test';
import { expectAtTop, markDocument, open, sameDocument, scrollY } from '../support/page.ts';
import { serviceSections } from '../support/routes.ts';
import { expect, test } from '../support/test.ts';

const footerLink = (page: Page, name: string) =>
  page.locator('footer').getByRole('link', { name, exact: true });

test('a fresh load lands on the section, under either name, wide and narrow', async ({ page }) => {
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 });
    for (const { id, anchor } of serviceSections) {
      for (const hash of [id, anchor]) {
        await page.goto('about:blank');
        await open(page, `/services#${hash}`);
        await expectAtTop(page, id);
      }
    }
  }
});

test('a client navigation from a home card lands on the section', async ({ page }) => {
  for (const { id } of serviceSections) {
    await open(page, '/');
    await markDocument(page);
    await page.locator(`main a[href="/services#${id}"]`).click();
    await expect(page).toHaveURL(`/services#${id}`);
    await expectAtTop(page, id);
    expect(await sameDocument(page)).toBe(true);
  }
});

test('on the services page itself the footer leads to each section, again and again', async ({
  page,
}) => {
  await open(page, '/services');
  await markDocument(page);
  for (const { id, footer } of [...serviceSections, ...serviceSections.slice(-1)]) {
    await footerLink(page, footer).click();
    await expectAtTop(page, id);
  }
  expect(await sameDocument(page)).toBe(true);
});

test('going back over a hash returns to the section, and from it to the page before', async ({
  page,
}) => {
  await open(page, '/');
  await page.locator('main a[href="/services#ai-chatbots"]').click();
  await expectAtTop(page, 'ai-chatbots');
  await page.locator('header').getByRole('link', { name: 'Pricing', exact: true }).first().click();
  await expect(page).toHaveTitle(/Pricing/);
  await expect.poll(() => scrollY(page)).toBe(0);
  await page.goBack();
  await expectAtTop(page, 'ai-chatbots');
  await page.goBack();
  await expect(page.locator('h1')).toContainText('Grow Your Business Fast');
});

test('the form of the home page can be linked to', async ({ page }) => {
  await open(page, '/#contact');
  await expect(page.locator('#contact h2')).toBeInViewport();
});

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
