/** The contact form's states and messages, with a script. */
import { ContactForm, messages, someWords, type Words } from '../support/contact-form.ts';
import { Gate, stopClock } from '../support/page.ts';
import { expect, test } from '../support/test.ts';

const api = '**/api/contacts';

test('what is wrong is said beside the form, and the first bad field has the focus', async ({
  page,
}) => {
  // What is right and wrong is told by `contract/validation-cases.json`, in unit tests.
  const cases: [string, Partial<Words>, string, (keyof Words)[]][] = [
    [
      'nothing filled in',
      { name: '', email: '', message: '' },
      messages.required,
      ['name', 'email', 'message'],
    ],
    ['an address without a dot', { email: 'ada@example' }, messages.email, ['email']],
    [
      'a long message',
      { message: 'x'.repeat(5001) },
      'Message is too long: at most 5000 characters',
      ['message'],
    ],
  ];

  const form = new ContactForm(page);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.method()));
  await form.open();

  for (const [title, change, message, invalid] of cases) {
    await test.step(title, async () => {
      const words = someWords(change);
      await form.send(words);
      await expect(form.status).toHaveText(message);
      await expect(form.fields[invalid[0] as keyof Words]).toBeFocused();
      await form.expectInvalid(...invalid);
      await form.expectWords(words);
    });
  }
  expect(asked).not.toContain('POST');
});

test('fields are marked for browsers and assistive technology', async ({ page }) => {
  const form = new ContactForm(page);
  await form.open();
  for (const [field, autocomplete] of [
    ['name', 'name'],
    ['email', 'email'],
    ['phone', 'tel'],
  ] as const) {
    await expect(form.fields[field]).toHaveAttribute('autocomplete', autocomplete);
  }
  await expect(form.status).toHaveText('');

  await form.send({ email: 'ada', name: 'Ada', message: 'Hello' });
  const status = (await form.status.getAttribute('id')) ?? '';
  await expect(form.email).toHaveAttribute('aria-describedby', status);
  await expect(form.status).toHaveRole('status');
});

test('while sending, everything is disabled and the button reads Sending...', async ({ page }) => {
  const gate = await Gate.before(page, api);
  const form = new ContactForm(page);
  await form.open();
  await expect(form.button).toHaveText('Send Message');
  await form.send(someWords());

  await expect(form.button).toHaveText('Sending...');
  for (const control of [...Object.values(form.fields), form.button])
    await expect(control).toBeDisabled();

  gate.open();
  await expect(form.status).toHaveText(messages.sent);
  await expect(form.button).toHaveText('Send Message');
  for (const control of [...Object.values(form.fields), form.button])
    await expect(control).toBeEnabled();
});

for (const path of ['/', '/contact']) {
  test(`on ${path} success clears the form and its message goes after 5 seconds`, async ({
    page,
  }) => {
    const form = new ContactForm(page);
    await form.open(path);
    await stopClock(page);
    await form.send(someWords());

    await expect(form.status).toHaveText(messages.sent);
    await expect(form.status).toHaveRole('status');
    await form.expectWords({ name: '', email: '', phone: '', message: '' });
    await page.clock.runFor(4_999);
    await expect(form.status).toHaveText(messages.sent);
    await page.clock.runFor(1);
    await expect(form.status).toHaveText('');
  });
}

test('an error stays, whatever is typed, until the next submit', async ({ page }) => {
  const form = new ContactForm(page);
  await form.open();
  await stopClock(page);
  const words = someWords({ email: 'ada' });
  await form.send(words);
  await expect(form.status).toHaveText(messages.email);
  await page.clock.runFor(60_000);
  const mended = someWords();
  await form.fill({ email: mended.email });
  await expect(form.status).toHaveText(messages.email);

  const gate = await Gate.before(page, api);
  await form.button.click();
  await expect(form.button).toHaveText('Sending...');
  await expect(form.status).toHaveText('');
  await form.expectInvalid();
  gate.open();
  await expect(form.status).toHaveText(messages.sent);
});

test('a lost connection is told to the visitor and the console, and the words stay', async ({
  page,
  problems,
}) => {
  problems.expect(/The message could not be sent/);
  problems.expect(/net::ERR_INTERNET_DISCONNECTED/);
  await page.route(api, (route) => route.abort('internetdisconnected'));
  const form = new ContactForm(page);
  await form.open();
  const words = someWords();
  await form.send(words);
  await expect(form.status).toHaveText(messages.failed);
  await form.expectWords(words);
  await expect(form.button).toBeEnabled();

  await page.unroute(api);
  await form.button.click();
  await expect(form.status).toHaveText(messages.sent);
});

test('what only the server finds wrong is marked like what the page finds', async ({
  page,
  problems,
}) => {
  problems.expect(/The message was not accepted: 422/);
  problems.expect(/status of 422/);
  await page.route(api, async (route) => {
    const body = route.request().postDataJSON();
    await route.continue({ postData: JSON.stringify({ ...body, email: 'no address' }) });
  });
  const form = new ContactForm(page);
  await form.open();
  const words = someWords();
  await form.send(words);
  await expect(form.status).toHaveText(messages.email);
  await form.expectInvalid('email');
  await expect(form.email).toBeFocused();
  await form.expectWords(words);
});
