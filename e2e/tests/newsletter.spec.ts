/** The newsletter's form on the blog, and the pages from there to unsubscribing. */
import type { Page, Route } from '@playwright/test';
import messages from '../../contract/messages.json' with { type: 'json' };
import { expect, test } from '../support/desk.ts';
import { open, stopClock } from '../support/page.ts';
import { site } from '../support/site.ts';

const accepted = 'Thank you for subscribing! Please check your inbox to confirm.';

const field = (page: Page) => page.getByRole('textbox', { name: 'Email address' });
const button = (page: Page) => page.getByRole('button', { name: 'Subscribe' });
const status = (page: Page) => page.locator('form[action="/api/newsletter"] [aria-live]');
const heading = (page: Page) => page.getByRole('heading', { level: 1 });

test('the form asks for consent, names mistakes, survives failures and says what comes next', async ({
  page,
  problems,
}) => {
  problems.expect(/503|not accepted/);
  problems.expect(/net::ERR_FAILED|could not be sent/);
  await open(page, '/blog');
  const consent = page.getByText('By subscribing you agree');
  await expect(consent).toBeVisible();
  for (const words of [site.name, site.location, 'Withdraw at any time'])
    await expect(consent).toContainText(words);

  for (const [typed, message] of [
    ['', 'Please enter your email address'],
    ['   ', 'Please enter your email address'],
    ['ada@example', 'Please enter a valid email address'],
  ] as const) {
    await test.step(message, async () => {
      await field(page).fill(typed);
      await button(page).click();
      await expect(status(page)).toHaveText(message);
      await expect(field(page)).toBeFocused();
      await expect(field(page)).toHaveAttribute('aria-invalid', 'true');
    });
  }

  await field(page).fill('ada@example.org');
  for (const fail of [
    (route: Route) => route.fulfill({ status: 503, json: {} }),
    (route: Route) => route.abort(),
  ]) {
    await test.step('a failure', async () => {
      await page.route('**/api/newsletter', fail);
      await button(page).click();
      await expect(status(page)).toHaveText(messages.newsletter_failed);
      await expect(field(page)).toHaveValue('ada@example.org');
      await expect(field(page)).not.toHaveAttribute('aria-invalid');
      await expect(button(page)).toBeFocused();
      await page.unroute('**/api/newsletter', fail);
    });
  }

  await test.step('success', async () => {
    await stopClock(page);
    await button(page).click();
    await expect(status(page)).toHaveText(accepted);
    await expect(status(page)).toHaveRole('status');
    await expect(field(page)).toHaveValue('');
    await expect(button(page)).toBeFocused();
    await page.clock.runFor(60_000);
    await expect(status(page)).toHaveText(accepted);
  });
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('every step is a page', async ({ page, desk, problems }) => {
    problems.expect(/status of 422/);
    problems.expect(/status of 410/);
    const { app, mails } = desk;
    await page.goto(`${app.url}/blog`);
    await field(page).fill('bob@example');
    await button(page).click();
    await expect(status(page)).toHaveText('Please enter a valid email address');
    await expect(field(page)).toHaveValue('bob@example');
    await field(page).fill('bob@example.org');
    await button(page).click();
    await expect(heading(page)).toHaveText(accepted);

    await expect.poll(() => mails.length).toBeGreaterThan(0);
    const written = `${mails[0]?.text}\n${mails[0]?.headers.map(({ value }) => value).join('\n')}`;
    const link = (to: string) =>
      app.url + new RegExp(`/newsletter/${to}\\?token=[\\w-]{43}`).exec(written)?.[0];
    const confirm = link('confirm');
    await page.goto(confirm);
    await page.getByRole('button', { name: 'Confirm my subscription' }).click();
    await expect(heading(page)).toHaveText('You’re subscribed');
    await page.goto(confirm);
    await expect(heading(page)).toHaveText('This link no longer works');
    await page.goto(link('unsubscribe'));
    await page.getByRole('button', { name: 'Unsubscribe me' }).click();
    await expect(heading(page)).toHaveText('You’re unsubscribed');
    const subscribers = JSON.parse(await app.command('subscribers', 'list', '--json'));
    expect(subscribers).toMatchObject([{ email: 'bob@example.org', state: 'unsubscribed' }]);
  });
});
