/** Both forms, including what is typed and pressed before their script has loaded, in engines other than Chromium's. */
import type { App } from '../support/app.ts';
import { leadsOf, messages, someWords, type Words } from '../support/contact-form.ts';
import { expect, test } from './test.ts';
import type { Visitor } from './visitor.ts';

const contact = 'form[action="/api/contacts"]';
const subscribe = 'form[action="/api/newsletter"]';
const field = (form: string, name: string) => `${form} [name=${name}]`;
const button = (form: string) => `${form} button`;
const status = (form: string) => `${form} [aria-live]`;

/** Short texts, because each letter is a key press in the browser. */
const fewWords = () => someWords({ name: 'Ada', phone: '5', message: 'Hi' });

async function fill(visitor: Visitor, words: Partial<Words>) {
  for (const [name, text] of Object.entries(words)) await visitor.fill(field(contact, name), text);
}

const values = (form: string, names: string[]) =>
  Object.fromEntries(
    names.map((name) => [
      name,
      document.querySelector<HTMLInputElement>(`${form} [name=${name}]`)?.value,
    ]),
  );

/** What was typed is still there. */
async function keeps(visitor: Visitor, words: Words) {
  await visitor.sees('the words are kept', values, words, contact, Object.keys(words));
}

/** Waits until the form's own script handles its submits. */
async function isAwake(visitor: Visitor, form: string) {
  const state = (selector: string) =>
    document.querySelector(selector)?.closest<HTMLElement>('[data-island]')?.dataset.state;
  await visitor.sees('the form is awake', state, 'awake', form);
}

async function isStoredOnce(app: App, words: Words) {
  await expect.poll(() => leadsOf(app, words.email)).toMatchObject([words]);
}

/** With a script the form shows the outcome, without one a page does. */
async function isSent(visitor: Visitor) {
  const outcome = () =>
    [...document.querySelectorAll('main h1, form[action="/api/contacts"] [aria-live]')].map(
      (element) => element.textContent?.trim(),
    );
  const said = () => visitor.evaluate(outcome).catch(() => []);
  await expect.poll(said).toContain(messages.sent);
}

test('the contact form says what is wrong, then sends and stores', async ({ visitor, app }) => {
  const words = someWords();
  await visitor.goto('/contact');
  await visitor.isReady();
  await visitor.press(field(contact, 'name'));
  await isAwake(visitor, contact);
  await visitor.press(button(contact));
  await visitor.reads(status(contact), messages.required);
  const wrong = { ...words, email: 'ada@example' };
  await fill(visitor, wrong);
  await visitor.press(button(contact));
  await visitor.reads(status(contact), messages.email);
  await keeps(visitor, wrong);
  const focused = () => document.activeElement?.getAttribute('name');
  await visitor.sees('the bad field has the focus', focused, 'email');
  await fill(visitor, { email: words.email });
  await visitor.press(button(contact));
  await visitor.reads(status(contact), messages.sent);
  const empty = Object.fromEntries(Object.keys(words).map((name) => [name, '']));
  await keeps(visitor, empty as Words);
  await isStoredOnce(app, words);
});

test('the newsletter form says what is wrong, then thanks', async ({ visitor, app }) => {
  await visitor.goto('/blog');
  // A press before the scripts are there wakes nothing yet.
  await visitor.isReady();
  await visitor.press(field(subscribe, 'email'));
  await isAwake(visitor, subscribe);
  await visitor.press(button(subscribe));
  await visitor.reads(status(subscribe), 'Please enter your email address');
  await visitor.fill(field(subscribe, 'email'), 'engine@example');
  await visitor.press(button(subscribe));
  await visitor.reads(status(subscribe), messages.email);
  const { email } = someWords();
  await visitor.fill(field(subscribe, 'email'), email);
  await visitor.press(button(subscribe));
  await visitor.reads(
    status(subscribe),
    'Thank you for subscribing! Please check your inbox to confirm.',
  );
  expect(await app.command('subscribers', 'list', '--json')).toContain(email);
});

for (const path of ['/', '/contact']) {
  test(`words typed on ${path} before the scripts are there stay, and can be sent`, async ({
    visitor,
    app,
  }) => {
    const words = fewWords();
    visitor.proxy.holdScripts();
    await visitor.goto(path);
    await fill(visitor, words);
    visitor.proxy.releaseScripts();
    await visitor.isReady();
    await keeps(visitor, words);
    await visitor.press(button(contact));
    await isSent(visitor);
    await isStoredOnce(app, words);
  });
}

test('a message sent before the scripts are there arrives once', async ({ visitor, app }) => {
  const words = fewWords();
  visitor.proxy.holdScripts();
  await visitor.goto('/contact');
  await fill(visitor, words);
  await visitor.press(button(contact));
  await visitor.isAt('/contact/sent');
  await visitor.reads('main h1', messages.sent);
  await isStoredOnce(app, words);
});

test('a message sent at once, while the scripts arrive, arrives once', async ({ visitor, app }) => {
  const words = fewWords();
  await visitor.goto('/contact');
  await fill(visitor, words);
  await visitor.press(button(contact));
  await isSent(visitor);
  await isStoredOnce(app, words);
});

test('a message sent while the script of the form is on its way arrives once', async ({
  visitor,
  app,
}) => {
  const words = fewWords();
  await visitor.goto('/contact');
  await visitor.isReady();
  visitor.proxy.holdScripts();
  await fill(visitor, words);
  await visitor.press(button(contact));
  visitor.proxy.releaseScripts();
  await isSent(visitor);
  await isStoredOnce(app, words);
});
