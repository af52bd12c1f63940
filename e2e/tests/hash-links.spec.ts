/** Links into a page: both names of each service's section, from everywhere. */
import type { Page } from '@playwright/test';
import { expectAtTop } from '../support/hash-links.ts';
import { markDocument, open, sameDocument, scrollY } from '../support/page.ts';
import { serviceSections } from '../support/routes.ts';
import { expect, test } from '../support/test.ts';

const footerLink = (page: Page, name: string) =>
  page.locator('footer').getByRole('link', { name, exact: true });

test('a fresh load lands on the section, under either name', async ({ page }) => {
  for (const { id, anchor } of serviceSections) {
    for (const hash of [id, anchor]) {
      await page.goto('about:blank');
      await open(page, `/services#${hash}`);
      await expectAtTop(page, id);
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

test('a client navigation from the footer lands on the section', async ({ page }) => {
  for (const { id, anchor, footer } of serviceSections) {
    await open(page, '/about');
    await markDocument(page);
    await footerLink(page, footer).click();
    await expect(page).toHaveURL(`/services#${anchor}`);
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

test('a narrow screen lands below the bar too', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const { id, anchor } of serviceSections) {
    await page.goto('about:blank');
    await open(page, `/services#${anchor}`);
    await expectAtTop(page, id);
  }
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
