/**
 * The rules for what a visitor types. The server applies the same ones (`src/domain/`); `contract/` has the messages, the
 * fields, and the cases that both sides are tested with.
 */
import type { ContactField, Fields, Messages } from '../content/types.ts';

/** The message for the visitor, and the fields to correct. */
export type Correction<Field extends string> = { message: string; fields: Field[] };

/** The rules of `contract/`, in the owner's words. */
export type ContactRules = {
  fields: Fields;
  messages: Pick<Messages, 'required' | 'email_shape' | 'too_long'>;
};

// Invisible characters may surround it, as in a copied address. The lookahead has what must not be: dots and hyphens out
// of place, a domain label that is too long.
const emailShape =
  /^[\s\p{Cc}\p{DI}\u2800\ufff9-\ufffb]*(?!\.|.*(\.\.|\.@|@[.-]|@.*(-(?![\p{L}\p{M}\p{N}-])|\.-|[^.]{64})))[^\s\p{Cc}\p{DI}\u2800\ufff9-\ufffb"(),:;<>@[\\\]]{1,64}@[\p{L}\p{M}\p{N}.-]+\.[\p{L}\p{M}\p{N}-]+[\s\p{Cc}\p{DI}\u2800\ufff9-\ufffb]*$/u;

export type ContactValues = Record<ContactField, string>;

export function checkContact(
  values: ContactValues,
  { fields, messages }: ContactRules,
): Correction<ContactField> | undefined {
  const fieldNames = Object.keys(fields) as ContactField[];
  const empty = fieldNames.filter((field) => fields[field].required && isEmpty(values[field]));
  if (empty.length > 0) return { message: messages.required, fields: empty };
  for (const field of fieldNames) {
    const message = messageFor(field, values[field].trim(), { fields, messages });
    if (message) return { message, fields: [field] };
  }
  return undefined;
}

/** Its one field is empty, right or wrong. */
export function checkNewsletter(
  email: string,
  limit: number,
  messages: Pick<Messages, 'email_shape' | 'newsletter_email_missing'>,
): Correction<'email'> | undefined {
  const isWrong = characterCount(email.trim()) > limit || !emailShape.test(email.trim());
  const wrong = isWrong ? messages.email_shape : undefined;
  const message = isEmpty(email) ? messages.newsletter_email_missing : wrong;
  return message ? { message, fields: ['email'] } : undefined;
}

function messageFor(
  field: ContactField,
  value: string,
  { fields, messages }: ContactRules,
): string | undefined {
  const { label, sentence = label, limit } = fields[field];
  if (characterCount(value) > limit)
    return messages.too_long.replace('{field}', sentence).replace('{limit}', String(limit));
  if (field === 'email' && !emailShape.test(value)) return messages.email_shape;
  return undefined;
}

/** White space, control characters and other invisible ones count as nothing. */
const isEmpty = (text: string) => !/[^\s\p{Cc}\p{DI}\u2800\ufff9-\ufffb]/u.test(text);

/** Characters as a reader counts them, not the units of the string. */
const characterCount = (text: string) => [...text].length;
