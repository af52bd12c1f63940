import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { clearDraft, idempotencyKey, restoreDraft, saveDraft } from './draft.ts';

const words = { name: 'Ada', message: 'Hello' };
let form: HTMLFormElement;

/** The form as a fresh load of its page shows it. */
function open(name = 'contact') {
  document.body.innerHTML = `<form data-draft="draft-${name}">
    <input type="hidden" name="form_location" value="contact">
    <input name="decoy" tabindex="-1"><input name="name"><textarea name="message"></textarea>
  </form>`;
  form = document.forms[0] as HTMLFormElement;
  restoreDraft(form);
}

const field = (name: string) =>
  document.querySelector(`[name=${name}]`) as HTMLInputElement | HTMLTextAreaElement;

function type(values: Record<string, string>) {
  for (const [name, value] of Object.entries(values)) field(name).value = value;
  saveDraft(form);
}

beforeEach(() => {
  sessionStorage.clear();
  open();
});
afterEach(() => vi.unstubAllGlobals());

describe('a draft', () => {
  it('comes back after a reload, without what no visitor typed', () => {
    type({ ...words, decoy: 'filled by a program' });
    open();
    expect(field('name').value).toBe('Ada');
    expect(field('message').value).toBe('Hello');
    expect(field('decoy').value).toBe('');
    expect(field('form_location').value).toBe('contact');
  });

  it('belongs to its own form', () => {
    type(words);
    open('homepage');
    expect(field('name').value).toBe('');
  });

  it('is gone once cleared', () => {
    type(words);
    clearDraft(form);
    open();
    expect(field('name').value).toBe('');
  });

  it('gives way to what is in the field, which is kept from then on', () => {
    type(words);
    field('name').value = 'Newer';
    restoreDraft(form);
    open();
    expect(field('name').value).toBe('Newer');
    expect(field('message').value).toBe('Hello');
  });

  it('survives damaged storage', () => {
    sessionStorage.setItem('draft-contact', '{"values":');
    open();
    type(words);
    expect(idempotencyKey(form, words)).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('the idempotency key', () => {
  it('stays for the same words, over a reload too', () => {
    type(words);
    const key = idempotencyKey(form, words);
    expect(idempotencyKey(form, { ...words })).toBe(key);
    open();
    expect(idempotencyKey(form, words)).toBe(key);
  });

  it('changes with the words', () => {
    const key = idempotencyKey(form, words);
    const other = idempotencyKey(form, { ...words, message: 'Hello again' });
    expect(other).not.toBe(key);
  });

  it('is new for the same words once they were sent', () => {
    const key = idempotencyKey(form, words);
    clearDraft(form);
    expect(idempotencyKey(form, words)).not.toBe(key);
  });

  it('holds where the browser refuses to store anything', () => {
    const refuse = () => {
      throw new Error('storage is switched off');
    };
    vi.stubGlobal('sessionStorage', { getItem: refuse, setItem: refuse, removeItem: refuse });
    const key = idempotencyKey(form, words);
    expect(idempotencyKey(form, words)).toBe(key);
    clearDraft(form);
    expect(idempotencyKey(form, words)).not.toBe(key);
  });
});
