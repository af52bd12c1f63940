/** The contact form, also before its script has loaded, in engines other than Chromium's. */
import type { App } from '../support/app.ts';
import { leadsOf, messages, someWords, type Words } from '../support/contact-form.ts';
import { expect, test } from './test.ts';
import type { Visitor } from './visitor.ts';

const contact = 'form[action="/api/contacts"]';
const field = (name: string) => `${contact} [name=${name}]`;
const button = `${contact} button`;
const status = `${contact} [aria-live]`;

let count = 0;

/** Short texts, because each letter is a key press in the browser. */
function fewWords() {
  count += 1;
  return someWords({ name: 'Ada', email: `${count}@a.ca`, phone: '5', message: 'Hi' });
}

async function fill(visitor: Visitor, words: Partial<Words>) {
  for (const [name, text] of Object.entries(words)) await visitor.fill(field(name), text);
}

/** What was typed is still there. */
async function keeps(visitor: Visitor, words: Words) {
  const values = (form: string, names: string[]) => {
    const { elements } = document.querySelector(form) as HTMLFormElement;
    return names.map((name) => (elements.namedItem(name) as HTMLInputElement).value);
  };
  const [names, texts] = [Object.keys(words), Object.values(words)];
  await visitor.sees('the words are kept', values, texts, contact, names);
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
  const words = fewWords();
  await visitor.goto('/contact');
  await visitor.isReady();
  await visitor.press(field('name'));
  const state = () => document.querySelector<HTMLElement>('[data-island]')?.dataset.state;
  await visitor.sees('the form is awake', state, 'awake');
  await visitor.press(button);
  await visitor.reads(status, messages.required);
  const wrong = { ...words, email: 'a@b' };
  await fill(visitor, wrong);
  await visitor.press(button);
  await visitor.reads(status, messages.email);
  await keeps(visitor, wrong);
  const focused = () => document.activeElement?.getAttribute('name');
  await visitor.sees('the bad field has the focus', focused, 'email');
  await fill(visitor, { email: words.email });
  await visitor.press(button);
  await visitor.reads(status, messages.sent);
  const empty = Object.fromEntries(Object.keys(words).map((name) => [name, '']));
  await keeps(visitor, empty as Words);
  await isStoredOnce(app, words);
});

test('words typed before the scripts are there stay, and can be sent', async ({ visitor, app }) => {
  const words = fewWords();
  visitor.proxy.holdScripts();
  await visitor.goto('/');
  await fill(visitor, words);
  visitor.proxy.releaseScripts();
  await visitor.isReady();
  await keeps(visitor, words);
  await visitor.press(button);
  await isSent(visitor);
  await isStoredOnce(app, words);
});

test('a message sent before the scripts are there, or while that of the form arrives, arrives once', async ({
  visitor,
  app,
}) => {
  const early = fewWords();
  visitor.proxy.holdScripts();
  await visitor.goto('/contact');
  await fill(visitor, early);
  await visitor.press(button);
  await visitor.isAt('/contact/sent');
  await visitor.reads('main h1', messages.sent);
  await isStoredOnce(app, early);

  const words = fewWords();
  visitor.proxy.releaseScripts();
  await visitor.goto('/contact');
  await visitor.isReady();
  visitor.proxy.holdScripts();
  await fill(visitor, words);
  await visitor.press(button);
  visitor.proxy.releaseScripts();
  await isSent(visitor);
  await isStoredOnce(app, words);
});
