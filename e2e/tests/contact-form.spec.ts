/** The contact form, with a script and without: its states, its draft, and what the owner gets. */
import type { Route } from '@playwright/test';
import { ContactForm, leadsOf, messages, someWords, type Words } from '../support/contact-form.ts';
import { Gate, stopClock } from '../support/page.ts';
import { expect, test } from '../support/test.ts';

const api = '**/api/contacts';
const tooLong = 'Message is too long: at most 5000 characters';
const empty = { name: '', email: '', phone: '', message: '' };

test('mistakes are named beside the form until the next submit, and the first bad field has the focus', async ({
  page,
}) => {
  // `contract/validation-cases.json` lists what is right and wrong, for unit tests.
  const cases: [string, Partial<Words>, string, (keyof Words)[]][] = [
    [
      'nothing filled in',
      { name: '', email: '', message: '' },
      messages.required,
      ['name', 'email', 'message'],
    ],
    ['an address without a dot', { email: 'ada@example' }, messages.email, ['email']],
    ['a long message', { message: 'x'.repeat(5001) }, tooLong, ['message']],
  ];

  const form = new ContactForm(page);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await form.open();
  await expect(form.status).toHaveText('');
  await expect(form.fields.name).toHaveAttribute('autocomplete', 'name');
  await expect(form.fields.email).toHaveAttribute('autocomplete', 'email');
  await expect(form.fields.phone).toHaveAttribute('autocomplete', 'tel');

  for (const [title, change, message, invalid] of cases) {
    await test.step(title, async () => {
      const words = someWords(change);
      await form.send(words);
      await expect(form.status).toHaveText(message);
      await expect(form.status).toHaveRole('status');
      const first = form.fields[invalid[0] as keyof Words];
      await expect(first).toBeFocused();
      const status = (await form.status.getAttribute('id')) ?? '';
      await expect(first).toHaveAttribute('aria-describedby', status);
      await form.expectInvalid(...invalid);
      await form.expectWords(words);
    });
  }
  expect(asked).not.toContain('/api/contacts');

  await test.step('the last message stays, whatever is typed', async () => {
    await stopClock(page);
    await page.clock.runFor(60_000);
    await form.fill({ message: 'A short message' });
    await expect(form.status).toHaveText(tooLong);
    const gate = await Gate.before(page, api);
    await form.button.click();
    await expect(form.button).toHaveText('Sending...');
    await expect(form.status).toHaveText('');
    await form.expectInvalid();
    gate.open();
    await expect(form.status).toHaveText(messages.sent);
  });
});

test('everything is disabled while sending, success clears the form and its message goes after 5 seconds', async ({
  page,
  app,
}) => {
  const gate = await Gate.before(page, api);
  const form = new ContactForm(page);
  const controls = [...Object.values(form.fields), form.button];
  await form.open();
  await stopClock(page);
  await expect(form.button).toHaveText('Send Message');
  const words = someWords();
  await form.send(words);
  await expect(form.button).toHaveText('Sending...');
  for (const control of controls) await expect(control).toBeDisabled();

  gate.open();
  await expect(form.status).toHaveText(messages.sent);
  await expect(form.status).toHaveRole('status');
  await expect(form.button).toHaveText('Send Message');
  for (const control of controls) await expect(control).toBeEnabled();
  await form.expectWords(empty);
  await page.clock.runFor(4_999);
  await expect(form.status).toHaveText(messages.sent);
  await page.clock.runFor(1);
  await expect(form.status).toHaveText('');
  expect(await leadsOf(app, words.email)).toMatchObject([
    { ...words, form_location: 'contact', held: false },
  ]);
});

test('failures are reported to the visitor and the console, and the words can be sent later', async ({
  page,
  problems,
}) => {
  problems.expect(/The message could not be sent/);
  problems.expect(/net::ERR_INTERNET_DISCONNECTED/);
  problems.expect(/The message was not accepted: 503/);
  problems.expect(/The message was not accepted: 422/);
  problems.expect(/status of (503|422)/);
  const spoil = (route: Route) => {
    const body = { ...route.request().postDataJSON(), email: 'no address' };
    return route.continue({ postData: JSON.stringify(body) });
  };
  const unavailable = { status: 503, json: { detail: messages.failed } };
  const failures: [(route: Route) => Promise<void>, string, (keyof Words)[]][] = [
    [(route) => route.abort('internetdisconnected'), messages.failed, []],
    [(route) => route.fulfill(unavailable), messages.failed, []],
    // What only the server finds wrong is marked like what the page finds.
    [spoil, messages.email, ['email']],
  ];
  const form = new ContactForm(page);
  await form.open();
  const words = someWords();
  await form.fill(words);
  for (const [fail, message, invalid] of failures) {
    await page.route(api, fail);
    await form.button.click();
    await expect(form.status).toHaveText(message);
    await form.expectInvalid(...invalid);
    await form.expectWords(words);
    await expect(form.button).toBeEnabled();
    await page.unroute(api, fail);
  }
  await expect(form.fields.email).toBeFocused();
  await form.button.click();
  await expect(form.status).toHaveText(messages.sent);
});

test('a draft survives a reload and a detour, stays in its tab, and is gone once it is sent', async ({
  page,
  context,
}) => {
  const form = new ContactForm(page);
  const words = someWords({ message: 'First line\nsecond line' });
  await form.open();
  await form.fill(words);
  await page.reload();
  await form.ready();
  await form.expectWords(words);

  // A fresh load, in which the browser itself restores nothing.
  await page.goto('/about');
  await form.open();
  await form.expectWords(words);
  const other = new ContactForm(await context.newPage());
  await other.open();
  await other.expectWords(empty);

  await form.button.click();
  await expect(form.status).toHaveText(messages.sent);
  await page.goto('/about');
  await form.open();
  await form.expectWords(empty);
});

test('words typed before the script arrives win over an older draft and can be sent', async ({
  page,
  app,
}) => {
  const form = new ContactForm(page);
  await form.open();
  await form.fill({ name: 'Older', message: 'Older words' });

  const gate = await Gate.before(page, /\/assets\/[^/]+\.js$/);
  await page.goto('/about');
  await page.goto('/contact');
  const { name: _, ...words } = someWords();
  await form.fill(words);
  await expect(form.root).toHaveJSProperty('noValidate', false);
  await form.expectWords({ name: '' });
  gate.open();
  await form.ready();
  await form.expectWords({ name: 'Older', ...words });
  await form.button.click();
  await expect(form.status).toHaveText(messages.sent);
  expect(await leadsOf(app, words.email)).toMatchObject([{ name: 'Older', ...words }]);
});

test('a double press is one lead; the same words, sent again after a success, are another', async ({
  page,
  app,
}) => {
  const form = new ContactForm(page);
  await form.open();
  const words = someWords();
  await form.fill(words);
  await form.button.dblclick();
  await expect(form.status).toHaveText(messages.sent);
  expect(await leadsOf(app, words.email)).toHaveLength(1);

  await form.fill(words);
  await form.root.evaluate((element) => {
    (element as HTMLFormElement).requestSubmit();
    (element as HTMLFormElement).requestSubmit();
  });
  await expect(form.status).toHaveText(messages.sent);
  expect(await leadsOf(app, words.email)).toHaveLength(2);
});

test('after a lost answer, sending again stores no second lead, and edited words are stored', async ({
  page,
  app,
  problems,
}) => {
  problems.expect(/The message could not be sent/);
  problems.expect(/net::ERR_CONNECTION_RESET/);
  const form = new ContactForm(page);
  await form.open();
  /** The message reaches the server, but its answer does not come back. */
  async function sendAndLose(words: Words) {
    const lose = async (route: Route) => {
      const answer = await route.fetch();
      expect(answer.status()).toBe(201);
      await route.abort('connectionreset');
    };
    await page.route(api, lose, { times: 1 });
    await form.send(words);
    await expect(form.status).toHaveText(messages.failed);
    expect(await leadsOf(app, words.email)).toHaveLength(1);
  }

  await test.step('after a reload', async () => {
    const words = someWords();
    await sendAndLose(words);
    await page.reload();
    await form.ready();
    await form.button.click();
    await expect(form.status).toHaveText(messages.sent);
    expect(await leadsOf(app, words.email)).toHaveLength(1);
  });

  await test.step('with edited words', async () => {
    const words = someWords();
    await sendAndLose(words);
    const edited = `${words.message} And one more thing.`;
    await form.send({ message: edited });
    await expect(form.status).toHaveText(messages.sent);
    const stored = (await leadsOf(app, words.email)).map((lead) => lead.message);
    expect(stored.toSorted()).toEqual([words.message, edited].toSorted());
  });
});

test('the way the visit began is stored, even if its first page was left before the script came', async ({
  page,
  app,
}) => {
  // If the script is requested, it never arrives.
  await page.route('**/assets/*.js', () => {});
  const landing = '/blog?utm_source=news&utm_medium=mail&utm_campaign=fall';
  await page.goto(landing, { referer: 'https://search.example/results?q=private' });
  await page.unroute('**/assets/*.js');
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

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('the browser asks for what is required, and a mistake and a message end on a page that says so, with the typed words or without', async ({
    page,
    app,
    problems,
  }) => {
    problems.expect(/status of 422/);
    const form = new ContactForm(page);
    const odd = {
      name: '<b>"Ada"</b> & Co {{email}}',
      message: 'First line\n</textarea><script>1</script>\n\tlast line',
    };
    for (const [path, change, stored] of [
      ['/contact', {}, { form_location: 'contact', held: false }],
      ['/', odd, { form_location: 'homepage' }],
    ] as const) {
      await page.goto(path);
      await form.send({ name: 'Ada' });
      await expect(page).toHaveURL(path);
      await expect(form.fields.email).toBeFocused();
      await form.expectWords({ name: 'Ada' });

      const right = someWords(change);
      const wrong = { ...right, email: 'ada@example' };
      await form.send(wrong);
      await expect(form.status).toHaveText(messages.email);
      await form.expectWords(wrong);
      expect(page.url()).toContain('/api/contacts');
      await expect(page).toHaveTitle(/Message Not Sent/);
      await expect(page.locator('meta[name=robots]')).toHaveAttribute('content', 'noindex');

      await form.send(right);
      await expect(page).toHaveURL(/\/contact\/sent\?lead=/);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(messages.sent);
      expect(await leadsOf(app, right.email)).toMatchObject([{ ...right, ...stored }]);
    }
  });
});
