/** What the owner may have the server say to visitors: `content/mails.toml` and `content/forms.toml`. */
import { z } from 'zod';
import fields from '../../../contract/fields.json' with { type: 'json' };
import messages from '../../../contract/messages.json' with { type: 'json' };
import { text } from './text.ts';

/** Of a mail: a line end would begin another header. */
const subject = text.regex(/^[^\r\n]*$/, 'must be one line');

const textFor = <T extends object>(keys: T) =>
  Object.fromEntries(Object.keys(keys).map((key) => [key, text])) as {
    [Key in keyof T]: typeof text;
  };

/** What the server writes to visitors; what is left out is said as in `contract/mails.json`. */
export const mails = z.strictObject({
  auto_reply: z.strictObject({
    subject,
    greeting: text,
    promise: text,
    talk: text,
    booking: text,
    note: text,
  }),
  confirmation: z.strictObject({ subject, greeting: text, text, button: text, note: text }),
  newsletter: z.strictObject({ reason: text, unsubscribe: text }),
});

/** What forms say; what is left out is said as in `contract/messages.json` and `fields.json`. */
export const forms = z.strictObject({
  labels: z.strictObject(textFor(fields)),
  messages: z.strictObject({
    ...textFor(messages),
    too_long: text.refine(
      (words) => words.includes('{field}') && words.includes('{limit}'),
      'must say {field} and {limit}, where the name and the number go',
    ),
  }),
});
