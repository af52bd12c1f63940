/**
 * The contact form. Plain HTML that posts without a script; awake it checks
 * itself, sends in place and never sends a message twice. What is typed is kept
 * in the tab by `behaviours/drafts.ts`, awake or not.
 */
import messages from 'content:messages';
import { type FormEvent, useRef } from 'react';
import { useSubmission } from '../hooks/use-submission.ts';
import { clearDraft, idempotencyKey } from '../lib/draft.ts';
import { type ContactField, fieldNames, fields } from '../lib/fields.ts';
import { readFirstTouch } from '../lib/first-touch.ts';
import { type Submission, sendForm } from '../lib/send-form.ts';
import { checkContact } from '../lib/validate.ts';
import { Button } from '../ui/button.tsx';
import { Decoy, decoyName } from '../ui/decoy.tsx';
import { Field, type FieldProps } from '../ui/field.tsx';
import { FormStatus } from '../ui/form-status.tsx';
import type { IslandProps } from '../ui/island.tsx';
import styles from './contact-form.module.css';

/** Says what is wrong; the server knows it by this name (`src/http/forms/contact.rs`). */
const statusId = 'contact-status';

type Values = Record<ContactField, string>;

const successLasts = 5_000;

/** How each field is typed; all else about it is in `contract/fields.json`. */
const inputs: Record<ContactField, Partial<FieldProps>> = {
  name: { autoComplete: 'name' },
  email: { type: 'email', inputMode: 'email', autoComplete: 'email' },
  phone: { type: 'tel', autoComplete: 'tel' },
  message: { rows: 5 },
};

type Word =
  | 'optional'
  | 'message_hint'
  | 'decoy'
  | 'submit'
  | 'sending'
  | 'privacy'
  | 'privacy_link';

export type ContactFormProps = {
  location: 'homepage' | 'contact' | '{{form_location}}';
  /** What the server puts back after a post without a script. */
  filled?: {
    error: string;
    idempotencyKey: string;
    field: (name: ContactField) => Partial<FieldProps>;
  };
};

export function ContactForm({ location, words, filled }: ContactFormProps & IslandProps<Word>) {
  const form = useRef<HTMLFormElement>(null);
  const [submission, setSubmission] = useSubmission(form, successLasts);
  const busy = submission.state === 'submitting';
  const shown: Submission = filled
    ? { state: 'error', message: filled.error, fields: [] }
    : submission;

  async function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (busy) return;
    const sent = event.currentTarget;
    const data = new FormData(sent);
    const text = (name: string) => String(data.get(name) ?? '');
    const values = Object.fromEntries(fieldNames.map((name) => [name, text(name)])) as Values;
    const correction = checkContact(values);
    if (correction) return setSubmission({ state: 'error', ...correction });

    setSubmission({ state: 'submitting' });
    const key = idempotencyKey(sent, values);
    const outcome = await send(values, text(decoyName), location, key);
    setSubmission(outcome);
    if (outcome.state === 'success') {
      sent.reset();
      clearDraft(sent);
    }
  }

  return (
    <form
      ref={form}
      className={styles.form}
      method="post"
      action="/api/contacts"
      onSubmit={onSubmit}
      // Asleep it was told to leave the checking to us.
      suppressHydrationWarning
      data-draft={`draft-${location}`}
    >
      <input type="hidden" name="form_location" value={location} />
      {filled && <input type="hidden" name="idempotency_key" value={filled.idempotencyKey} />}
      <Decoy label={words.decoy} />
      <div className={styles.fields}>
        {fieldNames.map((name) => (
          <Field
            key={name}
            name={name}
            label={fields[name].label}
            note={fields[name].required ? undefined : words.optional}
            required={fields[name].required}
            disabled={busy}
            invalid={shown.state === 'error' && shown.fields.includes(name)}
            errorId={statusId}
            {...inputs[name]}
            {...(name === 'message' && { placeholder: words.message_hint, word: 'message_hint' })}
            {...filled?.field(name)}
          />
        ))}
      </div>
      <FormStatus id={statusId} submission={shown} />
      <div className={styles.end}>
        <Button type="submit" disabled={busy} data-word="submit">
          {busy ? words.sending : words.submit}
        </Button>
        <p className={styles.privacy}>
          <span data-word="privacy">{words.privacy}</span>{' '}
          <a href="/privacy" data-word="privacy_link">
            {words.privacy_link}
          </a>
        </p>
      </div>
    </form>
  );
}

const send = (values: Values, decoy: string, location: string, key: string) =>
  sendForm(
    '/api/contacts',
    {
      ...values,
      form_location: location,
      [decoyName]: decoy,
      elapsed_ms: Math.round(performance.now()),
      source: readFirstTouch(),
    },
    { what: 'message', done: messages.contact_sent, failed: messages.contact_failed },
    { 'idempotency-key': key },
  );
