/** Each thing a browser may lack, taken away by itself: the page stays whole and can be used. */
import type { Page } from '@playwright/test';
import { withMotion } from '../support/browser.ts';
import { ContactForm, messages, someWords } from '../support/contact-form.ts';
import { markDocument, open, pressReady, sameDocument } from '../support/page.ts';
import { expect, test } from '../support/test.ts';

test.use(withMotion);

const link = (page: Page, name: string) =>
  page.locator('header').getByRole('link', { name, exact: true }).first();

/** Runs in the page before anything else of it. */
function takeAway(name: string) {
  const owners: object[] = [globalThis, Document.prototype, HTMLElement.prototype];
  for (const owner of owners) Reflect.deleteProperty(owner, name);
}

const features = ['navigation', 'IntersectionObserver', 'requestIdleCallback', 'popover'];

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

test('where motion is welcome, the next page is there in the next frame and fades in', async ({
  page,
}) => {
  await open(page, '/about');
  const shown = await pressReady(page, 'Services');
  expect(shown).toEqual({ heading: 'More customers, less busywork', fades: 1 });
});
