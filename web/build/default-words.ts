/** The texts of mails and forms that the owner leaves out, and how they are combined with the owner's. */
import fields from '../../contract/fields.json' with { type: 'json' };
import mails from '../../contract/mails.json' with { type: 'json' };
import messages from '../../contract/messages.json' with { type: 'json' };
import type { ContactField, FieldFacts, Fields } from '../src/content/types.ts';

export type Words = Record<string, Record<string, string>>;

const own = Object.entries(fields) as [ContactField, FieldFacts][];

export const defaultMails: Words = mails;
export const defaultForms: Words = {
  labels: Object.fromEntries(own.map(([name, { label }]) => [name, label])),
  messages,
};

/** The owner's tables, whatever they leave out filled in. */
export function withDefaults(defaults: Words, written: Record<string, unknown>) {
  const filled = Object.entries(defaults).map(([name, words]) => {
    const table = written[name];
    return [name, isTable(table) ? { ...words, ...table } : (table ?? words)];
  });
  return { ...written, ...Object.fromEntries(filled) };
}

const isTable = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields of the form with the owner's labels; one that is renamed is called so in a sentence, too. */
export const fieldsWith = (labels: Record<ContactField, string>): Fields =>
  Object.fromEntries(
    own.map(([name, { sentence, ...facts }]) => {
      const label = labels[name];
      const kept = sentence !== undefined && label === facts.label && { sentence };
      return [name, { ...facts, label, ...kept }];
    }),
  ) as Fields;
