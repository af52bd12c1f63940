/**
 * The rules for what a visitor types. The server applies the same ones
 * (`src/domain/`); `contract/` holds the messages, the limits and the cases
 * both sides are tested with.
 */
import limits from '../../../contract/limits.json';
import messages from '../../../contract/messages.json';

export type ContactField = keyof typeof limits;
export type Problem<Field extends string> = { message: string; fields: Field[] };

// Between what shows nothing, which a copied address may bring along. First what must not be: dots
// and hyphens out of place, a label of a domain too long.
const emailShape =
  /^[\s\p{Cc}\p{DI}\u2800\ufff9-\ufffb]*(?!\.|.*(\.\.|\.@|@[.-]|@.*(-(?![\p{L}\p{M}\p{N}-])|\.-|[^.]{64})))[^\s\p{Cc}\p{DI}\u2800\ufff9-\ufffb"(),:;<>@[\\\]]{1,64}@[\p{L}\p{M}\p{N}.-]+\.[\p{L}\p{M}\p{N}-]+[\s\p{Cc}\p{DI}\u2800\ufff9-\ufffb]*$/u;
const required: ContactField[] = ['name', 'email', 'message'];

/** In the order of the form, as the fields are called in a sentence. */
const labels: Record<ContactField, string> = {
  name: 'Name',
  email: 'Email address',
  phone: 'Phone',
  message: 'Message',
};

export function checkContact(
  values: Record<ContactField, string>,
): Problem<ContactField> | undefined {
  const empty = required.filter((field) => isEmpty(values[field]));
  if (empty.length > 0) return { message: messages.required, fields: empty };
  for (const field of Object.keys(labels) as ContactField[]) {
    const message = complaint(field, values[field].trim());
    if (message) return { message, fields: [field] };
  }
  return undefined;
}

/** Its one field is empty, right or wrong: there is nothing else to say about it. */
export function checkNewsletter(email: string): Problem<'email'> | undefined {
  const wrong = complaint('email', email.trim()) && messages.email_shape;
  const message = isEmpty(email) ? messages.newsletter_email_missing : wrong;
  return message ? { message, fields: ['email'] } : undefined;
}

function complaint(field: ContactField, value: string): string | undefined {
  if (length(value) > limits[field]) {
    const named = messages.too_long.replace('{field}', labels[field]);
    return named.replace('{limit}', String(limits[field]));
  }
  if (field === 'email' && !emailShape.test(value)) return messages.email_shape;
  return undefined;
}

/** White space, control characters and others that show nothing say nothing. */
const isEmpty = (text: string) => !/[^\s\p{Cc}\p{DI}\u2800\ufff9-\ufffb]/u.test(text);

/** Characters as a reader counts them, not the units of the string. */
const length = (text: string) => [...text].length;
