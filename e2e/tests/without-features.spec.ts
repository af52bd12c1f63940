/** Each thing a browser may lack, taken away by itself: the page stays whole and can be used. */
import type { Page } from '@playwright/test';
import { withMotion } from '../support/browser.ts';
import { ContactForm, messages, someWords } from '../support/contact-form.ts';
import { markDocument, open, sameDocument } from '../support/page.ts';
import { expect, test } from '../support/test.ts';

test.use(withMotion);

const link = (page: Page, name: string) =>
  page.locator('header').getByRole('link', { name, exact: true }).first();

/** Runs in the page before anything else of it. */
function takeAway(name: string) {
  const owners: object[] = [globalThis, Document.prototype, HTMLElement.prototype];
  for (const owner of owners) Reflect.deleteProperty(owner, name);
}

const features = [
  'navigation',
  'IntersectionObserver',
  'requestIdleCallback',
  'startViewTransition',
  'popover',
];

for (const feature of features) {
  test(`without ${feature} the form sends and links lead on`, async ({ page }) => {
    await page.addInitScript(takeAway, feature);
    await page.addInitScript(() => {
      // Whoever waits for idle time in a test still gets some.
      window.requestIdleCallback ??= ((work: () => void) => setTimeout(work)) as never;
    });
    if (feature === 'requestIdleCallback')
      await page.addInitScript(() => Reflect.deleteProperty(globalThis, 'requestIdleCallback'));
    const form = new ContactForm(page);
    await form.open();
    expect(await page.evaluate((name) => name in globalThis, feature)).toBe(false);
    await form.send(someWords());
    await expect(form.status).toHaveText(messages.sent);
    await markDocument(page);
    await link(page, 'Services').click();
    await expect(page).toHaveURL('/services');
    await expect(page).toHaveTitle(/Services/);
    expect(await sameDocument(page)).toBe(feature !== 'navigation');
    // What would fade in is there, faded in or not.
    const last = page.locator('main section').last();
    await last.scrollIntoViewIfNeeded();
    await expect(last.locator('> div')).toHaveCSS('opacity', '1');
  });
}

test('where there are view transitions, pages change in one', async ({ page }) => {
  await page.addInitScript(() => {
    const real = document.startViewTransition.bind(document);
    Object.assign(window, { fades: 0 });
    document.startViewTransition = (update) => {
      (window as unknown as { fades: number }).fades += 1;
      return real(update);
    };
  });
  await open(page, '/');
  await link(page, 'About').click();
  await expect(page).toHaveTitle(/About/);
  const fades = () => page.evaluate(() => (window as unknown as { fades: number }).fades);
  expect(await fades()).toBe(1);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await link(page, 'Pricing').click();
  await expect(page).toHaveTitle(/Pricing/);
  expect(await fades()).toBe(1);
});
