/**
 * The contact form. It's plain HTML that posts without a script; once awake, it checks the fields, sends without leaving
 * the page, and never sends a message twice. `lib/draft.ts` keeps the text in the tab, awake or not.
 */
import type { ContactField, Messages, PageContent } from '../content/types.ts';
import { fillBookingLinks } from '../lib/booking-link.ts';
import { clearDraft, idempotencyKey } from '../lib/draft.ts';
import { readFirstTouch } from '../lib/first-touch.ts';
import { type ContactRules, type ContactValues, checkContact } from '../lib/validate.ts';
import { Button } from '../ui/button.tsx';
import { Field, type FieldProps, FormStatus, Honeypot, useForm } from '../ui/form.tsx';
import styles from './contact-form.module.css';

/** The element that says what is wrong; the server uses the same id (`src/http/forms/contact.rs`). */
const statusId = 'contact-status';

const successDuration = 5_000;

/** The attributes of each input; labels and limits are in `contract/fields.json`. */
const inputs: Record<ContactField, Partial<FieldProps>> = {
  name: { autoComplete: 'name' },
  email: { type: 'email', inputMode: 'email', autoComplete: 'email' },
  phone: { type: 'tel', autoComplete: 'tel' },
  message: { rows: 5 },
};

export type ContactFormProps = {
  location: 'homepage' | 'contact' | '{{form_location}}';
  words: PageContent['contact-form'];
  fields: ContactRules['fields'];
  messages: ContactRules['messages'] & Pick<Messages, 'contact_sent' | 'contact_failed'>;
  /** The server fills these in again after a post without a script. */
  filled?: {
    error: string;
    idempotencyKey: string;
    field: (name: ContactField) => Partial<FieldProps>;
  };
};

export function ContactForm({ location, words, fields, messages, filled }: ContactFormProps) {
  const fieldNames = Object.keys(fields) as ContactField[];
  const { props, submission, busy } = useForm({
    action: '/api/contacts',
    what: 'message',
    successMessage: messages.contact_sent,
    failureMessage: messages.contact_failed,
    successDuration,
    error: filled?.error,
    check: (values) => checkContact(values as ContactValues, { fields, messages }),
    body: (values) => ({
      ...values,
      elapsed_ms: Math.round(performance.now()),
      source: readFirstTouch(),
    }),
    headers: (form, values) => ({ 'idempotency-key': idempotencyKey(form, values) }),
    onSuccess: (form, { name, email }, { id }) => {
      clearDraft(form);
      fillBookingLinks(name, email, id);
    },
  });

  return (
    <form {...props} className={styles.form} data-draft={`draft-${location}`}>
      <input type="hidden" name="form_location" value={location} />
      {filled && <input type="hidden" name="idempotency_key" value={filled.idempotencyKey} />}
      <Honeypot label={words.honeypot} />
      <div className={styles.fields}>
        {fieldNames.map((name) => (
          <Field
            key={name}
            name={name}
            label={fields[name].label}
            note={fields[name].required ? undefined : words.optional}
            required={fields[name].required}
            disabled={busy}
            invalid={submission.state === 'error' && submission.fields.includes(name)}
            errorId={statusId}
            {...inputs[name]}
            placeholder={name === 'message' ? words.message_hint : undefined}
            {...filled?.field(name)}
          />
        ))}
      </div>
      <FormStatus id={statusId} submission={submission} />
      <div className={styles.end}>
        <Button type="submit" disabled={busy}>
          {busy ? words.sending : words.submit}
        </Button>
        <p className={styles.privacy}>
          {words.privacy} <a href="/privacy">{words.privacy_link}</a>
        </p>
      </div>
    </form>
  );
}
