/**
 * Cases that the browser tests of drafts don't reach (`e2e/tests/contact-form.spec.ts`).
 * @vitest-environment happy-dom
 */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { clearDraft, idempotencyKey, restoreDraft, saveDraft } from './draft.ts';

const words = { name: 'Ada', message: 'Hello' };
let form: HTMLFormElement;

/** The form as a fresh load of its page shows it. */
function open(name = 'contact') {
  document.body.innerHTML = `<form data-draft="draft-${name}">
    <input type="hidden" name="form_location" value="contact">
    <input name="honeypot" tabindex="-1"><input name="name"><textarea name="message"></textarea>
  </form>`;
  form = document.forms[0] as HTMLFormElement;
  restoreDraft(form);
}

const field = (name: string) =>
  document.querySelector(`[name=${name}]`) as HTMLInputElement | HTMLTextAreaElement;

beforeEach(() => {
  sessionStorage.clear();
  open();
});
afterEach(() => vi.unstubAllGlobals());

it('a draft comes back in its own form, without hidden fields', () => {
  for (const [name, value] of Object.entries({ ...words, honeypot: 'by a program' }))
    field(name).value = value;
  saveDraft(form);
  open('homepage');
  expect(field('name').value).toBe('');
  open();
  expect(field('name').value).toBe('Ada');
  expect(field('honeypot').value).toBe('');
  expect(field('form_location').value).toBe('contact');
});

it('damaged storage costs only the draft', () => {
  sessionStorage.setItem('draft-contact', '{"values":');
  open();
  saveDraft(form);
  expect(idempotencyKey(form, words)).toMatch(/^[0-9a-f]{32}$/);
});

it('the idempotency key holds where the browser refuses to store anything', () => {
  const refuse = () => {
    throw new Error('storage is switched off');
  };
  vi.stubGlobal('sessionStorage', { getItem: refuse, setItem: refuse, removeItem: refuse });
  const key = idempotencyKey(form, words);
  expect(idempotencyKey(form, words)).toBe(key);
  clearDraft(form);
  expect(idempotencyKey(form, words)).not.toBe(key);
});
