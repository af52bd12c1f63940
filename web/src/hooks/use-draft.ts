import { type RefObject, useEffect, useMemo } from 'react';
import { randomId } from '../lib/random-id.ts';
import { tabStorage } from '../lib/tab-storage.ts';

type Saved = { values: Record<string, string>; key?: string; keyFor?: string };

export type Draft = {
  save: () => void;
  clear: () => void;
  /** The same words give the same key, so that sending them again stores them once. */
  idempotencyKey: (values: object) => string;
};

/** Keeps what was typed in this tab, so that an accidental reload loses nothing. */
export function useDraft(form: RefObject<HTMLFormElement | null>, storageKey: string): Draft {
  useEffect(() => {
    const saved = tabStorage.get<Saved>(storageKey);
    for (const [name, value] of Object.entries(saved?.values ?? {})) {
      const input = form.current?.elements.namedItem(name);
      // What is in the field already was typed before the script came: it wins.
      if (isTextInput(input) && input.value === '') input.value = value;
    }
  }, [form, storageKey]);

  return useMemo(
    () => ({
      save() {
        const inputs = [...(form.current?.elements ?? [])].filter(isTextInput);
        const values = Object.fromEntries(inputs.map((input) => [input.name, input.value]));
        tabStorage.set(storageKey, { ...tabStorage.get<Saved>(storageKey), values });
      },
      clear: () => tabStorage.remove(storageKey),
      idempotencyKey(values) {
        const saved = tabStorage.get<Saved>(storageKey);
        const words = JSON.stringify(values);
        if (saved?.key && saved.keyFor === words) return saved.key;
        const key = randomId();
        tabStorage.set(storageKey, { values: {}, ...saved, key, keyFor: words });
        return key;
      },
    }),
    [form, storageKey],
  );
}

const isTextInput = (node: unknown): node is HTMLInputElement | HTMLTextAreaElement =>
  node instanceof HTMLTextAreaElement ||
  (node instanceof HTMLInputElement && node.type !== 'hidden' && node.tabIndex >= 0);
