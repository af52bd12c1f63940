/** The newsletter, from the form on the blog to the last goodbye. */
import type { Page, Route } from '@playwright/test';
import messages from '../../contract/messages.json' with { type: 'json' };
import type { App } from '../support/app.ts';
import { linkIn, Mailbox } from '../support/mailbox.ts';
import { stopClock } from '../support/page.ts';
import { site } from '../support/site.ts';
import { expect, test } from '../support/test.ts';

const accepted = 'Thank you for subscribing! Please check your inbox to confirm.';

const field = (page: Page) => page.getByRole('textbox', { name: 'Email address' });
const button = (page: Page) => page.getByRole('button', { name: 'Subscribe' });
const status = (page: Page) => page.locator('form[action="/api/newsletter"] [aria-live]');

async function openForm(page: Page, url = '') {
  await page.goto(`${url}/blog`);
  // The form takes itself over from the browser once its script runs.
  await expect(page.locator('form[action="/api/newsletter"][novalidate]')).toBeAttached();
}

async function states(app: App): Promise<Record<string, string>> {
  const list = JSON.parse(await app.command('subscribers', 'list', '--json'));
  return Object.fromEntries(
    list.map(({ email, state }: { email: string; state: string }) => [email, state]),
  );
}

test('who asks, for what and that it can be withdrawn stands beneath the field', async ({
  page,
}) => {
  await page.goto('/blog');
  const consent = page.getByText('By subscribing you agree');
  await expect(consent).toBeVisible();
  await expect(consent).toContainText(site.name);
  await expect(consent).toContainText(site.location);
  await expect(consent).toContainText('Withdraw at any time');
});

test('what is wrong is said in the right words, and the field has the focus', async ({ page }) => {
  await openForm(page);
  for (const [typed, message] of [
    ['', 'Please enter your email address'],
    ['   ', 'Please enter your email address'],
    ['ada@example', 'Please enter a valid email address'],
  ] as const) {
    await field(page).fill(typed);
    await button(page).click();
    await expect(status(page)).toHaveText(message);
    await expect(field(page)).toBeFocused();
    await expect(field(page)).toHaveAttribute('aria-invalid', 'true');
  }
});

test('an accepted address is thanked for, and what to do next stays', async ({ page }) => {
  await openForm(page);
  await stopClock(page);
  await field(page).fill('clock@example.org');
  await button(page).click();
  await expect(status(page)).toHaveText(accepted);
  await expect(status(page)).toHaveRole('status');
  await expect(field(page)).toHaveValue('');
  await expect(button(page)).toBeFocused();
  await page.clock.runFor(60_000);
  await expect(status(page)).toHaveText(accepted);
});

test('a failure keeps the address, blames nothing on it and says so until the next try', async ({
  page,
  problems,
}) => {
  problems.expect(/503|not accepted/);
  problems.expect(/net::ERR_FAILED|could not be sent/);
  await openForm(page);
  await field(page).fill('ada@example.org');
  for (const fail of [
    (route: Route) => route.fulfill({ status: 503, json: {} }),
    (route: Route) => route.abort(),
  ]) {
    await page.route('**/api/newsletter', fail);
    await button(page).click();
    await expect(status(page)).toHaveText(messages.newsletter_failed);
    await expect(status(page)).toHaveRole('status');
    await expect(field(page)).toHaveValue('ada@example.org');
    await expect(field(page)).not.toHaveAttribute('aria-invalid');
    await expect(button(page)).toBeFocused();
    await page.unroute('**/api/newsletter', fail);
  }
});

test('subscribe, look, confirm, leave with one click', async ({ page, startApp, request }) => {
  const mailbox = await Mailbox.start();
  const app = await startApp({ FRONTDOOR_SMTP_URL: mailbox.url });
  await openForm(page, app.url);
  await field(page).fill('Ada@Example.org');
  await button(page).click();
  await expect(status(page)).toHaveText(accepted);

  const mail = await mailbox.mail(1);
  expect(mail.to?.[0]?.address).toBe('ada@example.org');
  expect(mail.from?.address).toBe(site.email);
  for (const body of [mail.text, mail.html]) {
    expect(body).toContain(site.location);
    expect(body).toContain(site.url);
  }
  const confirm = app.url + linkIn(mail, 'confirm');
  await request.get(confirm);
  await page.goto(confirm);
  expect(await states(app)).toEqual({ 'ada@example.org': 'pending' });
  await page.getByRole('button', { name: 'Confirm my subscription' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('You’re subscribed');
  expect(await states(app)).toEqual({ 'ada@example.org': 'confirmed' });
  expect(await app.command('subscribers', 'proof', 'ada@example.org')).toContain('/blog');

  const leave = app.url + linkIn(mail, 'unsubscribe');
  await page.goto(leave);
  expect(await states(app)).toEqual({ 'ada@example.org': 'confirmed' });
  const oneClick = await request.post(leave, { form: { 'List-Unsubscribe': 'One-Click' } });
  expect(oneClick.status()).toBe(200);
  expect(oneClick.headers()['set-cookie']).toBeUndefined();
  expect(await states(app)).toEqual({ 'ada@example.org': 'unsubscribed' });
  expect(app.log).not.toMatch(/ada@|token=/i);
  await mailbox.stop();
});

test('on a phone, what confirms and unsubscribes is as wide as the ways on', async ({
  page,
  startApp,
}) => {
  const mailbox = await Mailbox.start();
  const app = await startApp({ FRONTDOOR_SMTP_URL: mailbox.url });
  await page.setViewportSize({ width: 390, height: 844 });
  await openForm(page, app.url);
  await field(page).fill('ada@example.org');
  await button(page).click();
  const mail = await mailbox.mail(1);
  for (const link of ['confirm', 'unsubscribe'] as const) {
    await page.goto(app.url + linkIn(mail, link));
    const widths = await page
      .locator('main :is(a, button)')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width));
    expect(widths.length, link).toBeGreaterThan(1);
    expect(new Set(widths).size, `${link}: ${widths}`).toBe(1);
  }
  await mailbox.stop();
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('every step is a page', async ({ page, startApp, problems }) => {
    problems.expect(/status of 422/);
    problems.expect(/status of 410/);
    const mailbox = await Mailbox.start();
    const app = await startApp({ FRONTDOOR_SMTP_URL: mailbox.url });
    await page.goto(`${app.url}/blog`);
    await field(page).fill('bob@example');
    await button(page).click();
    await expect(status(page)).toHaveText('Please enter a valid email address');
    await expect(field(page)).toHaveValue('bob@example');
    await field(page).fill('bob@example.org');
    await button(page).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(accepted);

    const mail = await mailbox.mail(1);
    const confirm = app.url + linkIn(mail, 'confirm');
    await page.goto(confirm);
    await page.getByRole('button', { name: 'Confirm my subscription' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('You’re subscribed');
    await page.goto(confirm);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('This link no longer works');
    await page.goto(app.url + linkIn(mail, 'unsubscribe'));
    await page.getByRole('button', { name: 'Unsubscribe me' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('You’re unsubscribed');
    expect(await states(app)).toEqual({ 'bob@example.org': 'unsubscribed' });
    await mailbox.stop();
  });
});
