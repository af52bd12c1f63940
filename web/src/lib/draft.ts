/** Keeps the text typed into a form and its idempotency key in the tab's storage, under the name in its `data-draft`. */
import { tabStorage } from './tab-storage.ts';

type Saved = { values: Record<string, string>; key?: string; keyFor?: string };

const nameOf = (form: HTMLFormElement) => form.dataset.draft ?? '';
const read = (form: HTMLFormElement) => tabStorage.get<Saved>(nameOf(form));

/** Keeps what is typed into the forms of a page, so that an accidental reload loses nothing. */
export function drafts(main: HTMLElement, signal: AbortSignal) {
  for (const form of main.querySelectorAll<HTMLFormElement>('form[data-draft]')) {
    restoreDraft(form);
    form.addEventListener('input', () => saveDraft(form), { signal });
  }
}

/** Text that is already in a field was typed before the script loaded: it wins, and is kept from now on. */
export function restoreDraft(form: HTMLFormElement) {
  const { values = {} } = read(form) ?? {};
  for (const input of textInputs(form)) {
    if (input.value === '') input.value = values[input.name] ?? '';
  }
  if (textInputs(form).some((input) => input.value !== '')) saveDraft(form);
}

export function saveDraft(form: HTMLFormElement) {
  const values = Object.fromEntries(textInputs(form).map(({ name, value }) => [name, value]));
  tabStorage.set(nameOf(form), { ...read(form), values });
}

export const clearDraft = (form: HTMLFormElement) => tabStorage.remove(nameOf(form));

/** The same text gives the same key, so that the server stores it once even if it is sent again. */
export function idempotencyKey(form: HTMLFormElement, values: object): string {
  const saved = read(form);
  const text = JSON.stringify(values);
  if (saved?.key && saved.keyFor === text) return saved.key;
  const key = randomId();
  tabStorage.set(nameOf(form), { values: {}, ...saved, key, keyFor: text });
  return key;
}

const textInputs = (form: HTMLFormElement) => [...form.elements].filter(isTextInput);

const isTextInput = (node: unknown): node is HTMLInputElement | HTMLTextAreaElement =>
  node instanceof HTMLTextAreaElement ||
  (node instanceof HTMLInputElement && node.type !== 'hidden' && node.tabIndex >= 0);

/** 128 random bits as text. Unlike `randomUUID` it works on plain HTTP, too. */
const randomId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
