/** A post opened over the list, in a dialog. */
import type { Page } from '@playwright/test';
import {
  barLink,
  Gate,
  notePositions,
  open,
  positions,
  scrollY,
  settled,
} from '../support/page.ts';
import { postSlugs } from '../support/routes.ts';
import { site } from '../support/site.ts';
import { expect, test } from '../support/test.ts';

const link = (page: Page, slug = postSlugs[0]) =>
  page.locator(`main a[href="/blog/${slug}"]`).first();
const modal = (page: Page) => page.getByRole('dialog');

async function openPost(page: Page, slug = postSlugs[0]) {
  await link(page, slug).click();
  await expect(modal(page)).toBeVisible();
}

test('each post opens, says until it has come that it is on its way, and has all its parts; its button, the backdrop and Escape close it and give focus back', async ({
  page,
}) => {
  await open(page, '/blog');
  const dialog = modal(page);
  const ways = [
    () => dialog.getByRole('button', { name: 'Close' }).click(),
    () => page.mouse.click(20, 450),
    () => page.keyboard.press('Escape'),
  ];
  for (const [index, close] of ways.entries()) {
    const slug = postSlugs[index];
    const card = page.locator('article', { has: page.locator(`a[href="/blog/${slug}"]`) });
    const title = (await link(page, slug).textContent()) ?? '';
    const excerpt = (await card.locator('p').first().textContent()) ?? '';
    const gate = await Gate.before(page, `**/blog/${slug}`);
    await openPost(page, slug);
    await expect(dialog.getByRole('status')).toHaveText(/\w/);
    gate.open();
    await expect(dialog.locator('[data-prose] p').first()).toBeVisible();
    await expect(dialog.getByRole('status')).toHaveCount(0);
    await expect(dialog).toHaveAccessibleName(title);
    await expect(dialog.getByRole('img').first()).toBeVisible();
    expect(await dialog.locator('ul').first().locator('li').count()).toBeGreaterThan(0);
    await expect(dialog.getByRole('heading', { level: 2 }).first()).toHaveText(title);
    await expect(dialog).toContainText(`The ${site.name} team`);
    await expect(dialog.locator('time')).toHaveText(/\w+ \d{1,2}, \d{4}/);
    await expect(dialog.getByText(excerpt, { exact: true })).toBeVisible();
    const body = (await dialog.locator('[data-prose]').textContent()) ?? '';
    expect(body.split(/\s+/).length).toBeGreaterThan(550);
    // It is set as on the post's own page.
    await expect(dialog.locator('[data-prose]')).toHaveCSS('font-size', '18px');
    await expect(dialog.locator('[data-prose] + a + div')).toHaveCSS('text-align', 'center');
    const booking = dialog.getByRole('link', { name: /Book .*Free Strategy Call/ });
    await expect(booking).toHaveAttribute('href', site.booking_url);
    await expect(booking).toHaveAttribute('target', '_blank');
    await expect(page).toHaveURL('/blog');
    await close();
    await expect(dialog).toHaveCount(0);
    await expect(link(page, slug)).toBeFocused();
  }
});

test('an open post keeps the focus inside and the page behind it still, and stays while its text is selected', async ({
  page,
}) => {
  await open(page, '/blog');
  await openPost(page);
  for (let step = 0; step < 10; step += 1) {
    await page.keyboard.press('Tab');
    const outside = await page.evaluate(() => {
      const focused = document.activeElement;
      return focused !== document.body && focused?.closest('dialog') === null;
    });
    expect(outside).toBe(false);
  }
  await modal(page).evaluate((dialog) => dialog.scrollTo({ top: dialog.scrollHeight }));
  await expect(modal(page).getByRole('button', { name: 'Close' })).toBeInViewport({ ratio: 1 });
  await modal(page).evaluate((dialog) => dialog.scrollTo({ top: 0 }));

  const text = modal(page).locator('p').nth(1);
  await text.click();
  await expect(modal(page)).toBeVisible();
  const box = await text.boundingBox();
  await page.mouse.move((box?.x ?? 0) + 40, (box?.y ?? 0) + 8);
  await page.mouse.down();
  await page.mouse.move(20, 450, { steps: 5 });
  await page.mouse.up();
  await settled(page);
  await expect(modal(page)).toBeVisible();
  await expect(page).toHaveURL('/blog');

  const before = await scrollY(page);
  await expect(page.locator('html')).toHaveCSS('overflow', 'hidden');
  await notePositions(page);
  await page.mouse.wheel(0, 200);
  await page.keyboard.press('Escape');
  await expect(modal(page)).toHaveCount(0);
  await expect(page.locator('html')).not.toHaveCSS('overflow', 'hidden');
  expect(await positions(page)).toEqual([]);
  // One turn of the wheel after the other: had the first moved the page, this would go twice as far.
  await page.mouse.wheel(0, 200);
  await expect.poll(() => scrollY(page)).toBe(before + 200);
  expect(await positions(page)).toEqual([before + 200]);
});

test('with a modifier key a post opens in a new tab, with Enter in the dialog, which going back closes', async ({
  page,
  context,
}) => {
  await open(page, '/');
  await barLink(page, 'Blog').click();
  await expect(page).toHaveTitle(/Blog/);
  const opened = context.waitForEvent('page');
  await link(page).click({ modifiers: ['ControlOrMeta'] });
  const tab = await opened;
  await expect(tab).toHaveURL(`/blog/${postSlugs[0]}`);
  await expect(tab.locator('h1')).toBeVisible();
  await tab.close();
  await expect(modal(page)).toHaveCount(0);

  await link(page).focus();
  await page.keyboard.press('Enter');
  await expect(modal(page)).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL('/');
  await expect(modal(page)).toHaveCount(0);
  await expect(page.locator('html')).not.toHaveCSS('overflow', 'hidden');
});
