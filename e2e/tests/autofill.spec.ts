/** What a browser's own autofill writes into a form must not make a visitor look like a program. */
import { chromium, type Page } from '@playwright/test';
import { launchOptions } from '../support/browser.ts';
import { ContactForm, leadsOf, messages, someWords } from '../support/contact-form.ts';
import { test as base, expect } from '../support/test.ts';

/** Only the complete browser fills in forms. */
const test = base.extend({
  // biome-ignore lint/correctness/noEmptyPattern: the fixture's signature.
  context: async ({}, use) => {
    const browser = await chromium.launch(launchOptions);
    await use(await browser.newContext());
    await browser.close();
  },
});

const profile = {
  NAME_FULL: 'Ada Example',
  EMAIL_ADDRESS: 'ada.autofill@example.org',
  PHONE_HOME_WHOLE_NUMBER: '+14165550100',
  COMPANY_NAME: 'Example Bakery Inc.',
  ADDRESS_HOME_STREET_ADDRESS: '1 Example Street',
  ADDRESS_HOME_CITY: 'Toronto',
  ADDRESS_HOME_STATE: 'Ontario',
  ADDRESS_HOME_ZIP: 'M5V 2T6',
  ADDRESS_HOME_COUNTRY: 'CA',
};

/** Has the browser fill in the form from a profile, as if it was chosen at this field. */
async function autofill(page: Page, selector: string) {
  const browser = await page.context().newCDPSession(page);
  const { root } = await browser.send('DOM.getDocument');
  const { nodeId } = await browser.send('DOM.querySelector', { nodeId: root.nodeId, selector });
  const { node } = await browser.send('DOM.describeNode', { nodeId });
  const fields = Object.entries(profile).map(([name, value]) => ({ name, value }));
  await browser.send('Autofill.enable');
  await browser.send('Autofill.trigger', { fieldId: node.backendNodeId, address: { fields } });
}

test('forms that the browser fills in are not held back: it leaves the honeypot empty, and only a program fills it', async ({
  page,
  app,
}) => {
  const form = new ContactForm(page);
  await form.open();
  await form.fields.name.click();
  await autofill(page, 'form[action="/api/contacts"] [name=name]');
  await form.expectWords({ name: profile.NAME_FULL, email: profile.EMAIL_ADDRESS });
  await form.send({ message: 'The browser knows the rest.' });
  await expect(form.status).toHaveText(messages.sent);
  expect(await leadsOf(app, profile.EMAIL_ADDRESS)).toMatchObject([{ held: false }]);

  await page.goto('/blog');
  const newsletter = page.locator('form[action="/api/newsletter"]');
  await newsletter.locator('[name=email]').click();
  await autofill(page, 'form[action="/api/newsletter"] [name=email]');
  await expect(newsletter.locator('[name=email]')).toHaveValue(profile.EMAIL_ADDRESS);
  const honeypot = newsletter.locator('input:not([type=hidden], [name=email])');
  await expect(honeypot).toHaveCount(1);
  await expect(honeypot).toHaveValue('');

  await form.open('/');
  await form.root.locator('[name=leave_empty]').evaluate((input) => {
    (input as HTMLInputElement).value = 'https://spam.example';
  });
  const words = someWords();
  await form.send(words);
  await expect(form.status).toHaveText(messages.sent);
  expect(await leadsOf(app, words.email)).toMatchObject([
    { ...words, form_location: 'homepage', held: true, hold_reason: 'decoy' },
  ]);
});
