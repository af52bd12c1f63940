import { describe, expect, it } from 'vitest';
import messages from '../../../contract/messages.json';
import cases from '../../../contract/validation-cases.json';
import { type ContactField, fieldNames } from './fields.ts';
import { checkContact, checkNewsletter } from './validate.ts';

const valid: Record<ContactField, string> = {
  name: 'Ada',
  email: 'ada@example.org',
  phone: '',
  message: 'Hello',
};
// The form sends its own location: no visitor can type a wrong one.
const typed = cases.filter(({ field }) => field in valid);

describe('checkContact', () => {
  it('is tried with cases for every field', () => {
    expect(new Set(typed.map(({ field }) => field))).toEqual(new Set(fieldNames));
  });

  it.each(typed)('$field $value (times $repeat) → $message', (shared) => {
    const { field, value, repeat = 1, message } = shared as typeof shared & { repeat?: number };
    const problem = checkContact({ ...valid, [field]: value.repeat(repeat) });
    expect(problem).toEqual(message === null ? undefined : { message, fields: [field] });
  });

  it('names every empty field, in the order of the form', () => {
    const problem = checkContact({ name: ' ', email: '', phone: '', message: '\n' });
    expect(problem).toEqual({ message: messages.required, fields: ['name', 'email', 'message'] });
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
