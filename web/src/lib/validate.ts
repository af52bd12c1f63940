/**
 * The rules for what a visitor types. The server applies the same ones
 * (`src/domain/`); `contract/` holds the messages, the limits and the cases
 * both sides are tested with.
 */
import limits from '../../../contract/limits.json';
import messages from '../../../contract/messages.json';

export type ContactField = keyof typeof limits;
export type Problem<Field extends string> = { message: string; fields: Field[] };

const emailShape = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const required: ContactField[] = ['name', 'email', 'message'];

export function checkContact(
  values: Record<ContactField, string>,
): Problem<ContactField> | undefined {
  const empty = required.filter((field) => values[field].trim() === '');
  if (empty.length > 0) return { message: messages.required, fields: empty };
  if (!emailShape.test(values.email.trim()))
    return { message: messages.email_shape, fields: ['email'] };
  return tooLong(values);
}

export function checkNewsletter(email: string): Problem<'email'> | undefined {
  const address = email.trim();
  if (address === '') return { message: messages.newsletter_email_missing, fields: ['email'] };
  if (!emailShape.test(address) || length(address) > limits.email) {
    return { message: messages.email_shape, fields: ['email'] };
  }
  return undefined;
}

function tooLong(values: Record<ContactField, string>): Problem<ContactField> | undefined {
  for (const field of Object.keys(limits) as ContactField[]) {
    if (length(values[field].trim()) <= limits[field]) continue;
    return { message: limitMessage(field), fields: [field] };
  }
  return undefined;
}

const limitMessage = (field: ContactField) => {
  const label = field.charAt(0).toUpperCase() + field.slice(1);
  return messages.too_long.replace('{field}', label).replace('{limit}', String(limits[field]));
};

/** Characters as a reader counts them, not the units of the string. */
const length = (text: string) => [...text].length;
