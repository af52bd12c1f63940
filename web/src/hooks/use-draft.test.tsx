import { act, useRef } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Draft, useDraft } from './use-draft.ts';

const words = { name: 'Ada', message: 'Hello' };
let draft: Draft;
let leave: () => void;

function Form({ storageKey }: { storageKey: string }) {
  const form = useRef<HTMLFormElement>(null);
  draft = useDraft(form, storageKey);
  return (
    <form ref={form}>
      <input type="hidden" name="form_location" defaultValue="contact" />
      <input name="decoy" tabIndex={-1} />
      <input name="name" />
      <textarea name="message" />
    </form>
  );
}

function open(storageKey = 'draft-contact') {
  const host = document.body.appendChild(document.createElement('div'));
  const root = createRoot(host);
  act(() => root.render(<Form storageKey={storageKey} />));
  leave = () => {
    act(() => root.unmount());
    host.remove();
  };
}

const field = (name: string) =>
  document.querySelector(`[name=${name}]`) as HTMLInputElement | HTMLTextAreaElement;

function type(values: Record<string, string>) {
  for (const [name, value] of Object.entries(values)) field(name).value = value;
  draft.save();
}

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  sessionStorage.clear();
  open();
});
afterEach(() => {
  leave();
  vi.unstubAllGlobals();
});

describe('a draft', () => {
  it('comes back after a reload, without what no visitor typed', () => {
    type({ ...words, decoy: 'filled by a program' });
    leave();
    open();
    expect(field('name').value).toBe('Ada');
    expect(field('message').value).toBe('Hello');
    expect(field('decoy').value).toBe('');
    expect(field('form_location').value).toBe('contact');
  });

  it('belongs to its own form', () => {
    type(words);
    leave();
    open('draft-homepage');
    expect(field('name').value).toBe('');
  });

  it('is gone once cleared', () => {
    type(words);
    draft.clear();
    leave();
    open();
    expect(field('name').value).toBe('');
  });

  it('survives damaged storage', () => {
    leave();
    sessionStorage.setItem('draft-contact', '{"values":');
    open();
    type(words);
    expect(draft.idempotencyKey(words)).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('the idempotency key', () => {
  it('stays for the same words, over a reload too', () => {
    type(words);
    const key = draft.idempotencyKey(words);
    expect(draft.idempotencyKey({ ...words })).toBe(key);
    leave();
    open();
    expect(draft.idempotencyKey(words)).toBe(key);
  });

  it('changes with the words', () => {
    const key = draft.idempotencyKey(words);
    const other = draft.idempotencyKey({ ...words, message: 'Hello again' });
    expect(other).not.toBe(key);
  });

  it('is new for the same words once they were sent', () => {
    const key = draft.idempotencyKey(words);
    draft.clear();
    expect(draft.idempotencyKey(words)).not.toBe(key);
  });

  it('holds where the browser refuses to store anything', () => {
    const refuse = () => {
      throw new Error('storage is switched off');
    };
    vi.stubGlobal('sessionStorage', { getItem: refuse, setItem: refuse, removeItem: refuse });
    const key = draft.idempotencyKey(words);
    expect(draft.idempotencyKey(words)).toBe(key);
    draft.clear();
    expect(draft.idempotencyKey(words)).not.toBe(key);
  });
});
