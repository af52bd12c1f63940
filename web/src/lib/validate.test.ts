import { describe, expect, it } from 'vitest';
import cases from '../../../contract/validation-cases.json';
import { frozenContent } from '../../build/testing/content-copy.ts';
import type { ContactField } from '../content/types.ts';
import * as rules from './validate.ts';

const { fields, messages } = await frozenContent();
const fieldNames = Object.keys(fields) as ContactField[];
const checkContact = (values: Values) => rules.checkContact(values, { fields, messages });
const checkNewsletter = (email: string) =>
  rules.checkNewsletter(email, fields.email.limit, messages);

type Values = Record<ContactField, string>;
const nothing = Object.fromEntries(fieldNames.map((field) => [field, ''])) as Values;
const valid: Values = { ...nothing, name: 'Ada', email: 'ada@example.org', message: 'Hello' };
// The form itself sends its location.
const typed = cases.filter(({ field }) => field in valid);

describe('checkContact', () => {
  it('is tested with shared cases for every field', () => {
    const tried = new Set(typed.map(({ field }) => field));
    for (const field of fieldNames) expect(tried).toContain(field);
  });

  it.each(typed)('$field $value (times $repeat) → $message', (shared) => {
    const { field, value, repeat = 1, message } = shared as typeof shared & { repeat?: number };
    const problem = checkContact({ ...valid, [field]: value.repeat(repeat) });
    expect(problem).toEqual(message === null ? undefined : { message, fields: [field] });
  });

  it('names every empty field, in the order of the form', () => {
    const problem = checkContact({ ...nothing, name: ' ', message: '\n' });
    expect(problem).toEqual({
      message: messages.required,
      fields: fieldNames.filter((field) => fields[field].required),
    });
  });

  it('asks for what is missing before it judges what is there', () => {
    const problem = checkContact({ ...valid, email: 'ada', message: '' });
    expect(problem).toEqual({ message: messages.required, fields: ['message'] });
  });
});

describe('checkNewsletter', () => {
  it('asks for an address in its own words', () => {
    expect(checkNewsletter(' \t')?.message).toBe('Please enter your email address');
  });

  const addresses = cases.filter(({ field }) => field === 'email');
  const own = new Map<string | null, string | undefined>([
    [null, undefined],
    [messages.required, messages.newsletter_email_missing],
  ]);
  it.each(addresses)('$value (times $repeat) → $message', (shared) => {
    const { value, repeat = 1, message } = shared as typeof shared & { repeat?: number };
    const expected = own.has(message) ? own.get(message) : messages.email_shape;
    expect(checkNewsletter(value.repeat(repeat))?.message).toBe(expected);
  });
});
