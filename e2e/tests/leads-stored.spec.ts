/** What the owner gets: the lead, where it came from, and the webhook's delivery. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Webhook } from 'standardwebhooks';
import { ContactForm, leadsOf, messages, someWords } from '../support/contact-form.ts';
import { Receiver } from '../support/receiver.ts';
import { expect, test } from '../support/test.ts';

for (const [path, location] of [
  ['/', 'homepage'],
  ['/contact', 'contact'],
] as const) {
  test(`a message from ${path} is stored with the location ${location}`, async ({ page, app }) => {
    const form = new ContactForm(page);
    await form.open(path);
    const words = someWords();
    await form.send(words);
    await expect(form.status).toHaveText(messages.sent);
    expect(await leadsOf(app, words.email)).toMatchObject([
      { ...words, form_location: location, held: false },
    ]);
  });
}

test('a visit that left its first page before the script came is known all the same', async ({
  page,
  app,
}) => {
  // Asked for, if at all, and never answered.
  await page.route('**/assets/*.js', () => {});
  await page.goto('/blog?utm_source=news');
  await page.unroute('**/assets/*.js');
  const form = new ContactForm(page);
  await form.open('/contact?utm_source=later');
  const words = someWords();
  await form.send(words);
  await expect(form.status).toHaveText(messages.sent);
  const [lead] = await leadsOf(app, words.email);
  expect(lead?.source).toMatchObject({ landing_path: '/blog', utm_source: 'news' });
});

test('how the visit began is stored with the lead, however many pages later', async ({
  page,
  app,
}) => {
  const landing = '/blog?utm_source=news&utm_medium=mail&utm_campaign=fall';
  await page.goto(landing, { referer: 'https://search.example/results?q=private' });
  await page.getByRole('navigation').getByRole('link', { name: 'Pricing' }).first().click();
  await expect(page).toHaveURL('/pricing');
  const form = new ContactForm(page);
  await form.open('/contact?utm_source=later');
  const words = someWords();
  await form.send(words);
  await expect(form.status).toHaveText(messages.sent);
  const [lead] = await leadsOf(app, words.email);
  expect(lead?.source).toMatchObject({
    landing_path: '/blog',
    referrer_host: 'search.example',
    utm_source: 'news',
    utm_medium: 'mail',
    utm_campaign: 'fall',
  });
  expect(await page.context().cookies()).toEqual([]);
});

test('the webhook gets exactly five fields, signed; what fills in the decoy is held back', async ({
  page,
  startApp,
}) => {
  const receiver = await Receiver.start();
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const app = await startApp({
    FRONTDOOR_WEBHOOK_URL: receiver.url,
    FRONTDOOR_WEBHOOK_SECRET: secret,
  });
  try {
    const form = new ContactForm(page);
    await form.open(`${app.url}/contact`);
    const decoyed = someWords();
    await form.root.locator('[name=leave_empty]').evaluate((input) => {
      (input as HTMLInputElement).value = 'https://spam.example';
    });
    await form.send(decoyed);
    await expect(form.status).toHaveText(messages.sent);
    expect(await leadsOf(app, decoyed.email)).toMatchObject([
      { ...decoyed, held: true, hold_reason: 'decoy' },
    ]);

    const words = someWords({ message: 'Grüße 🍁\n"quoted" <b>\\' });
    await form.open(`${app.url}/?utm_source=news`);
    await form.send(words);
    await expect(form.status).toHaveText(messages.sent);

    await expect.poll(() => receiver.deliveries.length).toBe(1);
    const [delivery] = receiver.deliveries;
    const headers = delivery?.headers as Record<string, string>;
    expect(delivery?.method).toBe('POST');
    expect(headers['content-type']).toBe('application/json');
    const verified = new Webhook(secret).verify(delivery?.body ?? '', headers);
    const { name, email, phone, message } = words;
    expect(verified).toEqual({ name, email, phone, message, formLocation: 'homepage' });
    expect(() => new Webhook(secret).verify(`${delivery?.body} `, headers)).toThrow();

    await expect.poll(() => app.command('deliveries', 'list', '--json')).toContain('"delivered"');
    expect(receiver.deliveries).toHaveLength(1);
  } finally {
    await receiver.stop();
  }
});

test('while the store is stuck the visitor is told, keeps the words, and can send them later', async ({
  page,
  startApp,
  problems,
}) => {
  problems.expect(/The message was not accepted: 503/);
  problems.expect(/status of 503/);
  const folder = await mkdtemp(join(tmpdir(), 'frontdoor-stuck-'));
  const file = join(folder, 'leads.db');
  const app = await startApp({ DATABASE_URL: `sqlite://${file}` });
  const other = new DatabaseSync(file);
  try {
    const form = new ContactForm(page);
    await form.open(`${app.url}/contact`);
    other.exec('BEGIN IMMEDIATE');
    const words = someWords();
    await form.send(words);
    await expect(form.status).toHaveText(messages.failed);
    await form.expectWords(words);

    other.exec('ROLLBACK');
    await form.button.click();
    await expect(form.status).toHaveText(messages.sent);
    expect(await leadsOf(app, words.email)).toHaveLength(1);
  } finally {
    other.close();
    await app.stop();
    await rm(folder, { recursive: true, force: true });
  }
});

test('too many messages in a minute are refused, and the words stay', async ({
  page,
  startApp,
  problems,
}) => {
  problems.expect(/The message was not accepted: 429/);
  problems.expect(/status of 429/);
  const app = await startApp({ FRONTDOOR_RATE_LIMIT: '1' });
  const form = new ContactForm(page);
  await form.open(`${app.url}/contact`);
  await form.send(someWords());
  await expect(form.status).toHaveText(messages.sent);
  const words = someWords();
  await form.send(words);
  await expect(form.status).toHaveText(messages.failed);
  await form.expectWords(words);
  expect(await leadsOf(app, words.email)).toEqual([]);
});
