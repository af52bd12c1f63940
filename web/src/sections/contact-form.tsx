/**
 * The contact form. Plain HTML that posts without a script; with one it checks
 * itself, sends in place, keeps a draft in the tab and never sends a message
 * twice.
 */
import words from 'content:contact-form';
import { type FormEvent, useRef } from 'react';
import messages from '../../../contract/messages.json';
import { type Draft, useDraft } from '../hooks/use-draft.ts';
import { useSubmission } from '../hooks/use-submission.ts';
import { type ContactField, fieldNames, fields } from '../lib/fields.ts';
import { readFirstTouch } from '../lib/first-touch.ts';
import { type Submission, sendForm } from '../lib/send-form.ts';
import { checkContact } from '../lib/validate.ts';
import { Button } from '../ui/button.tsx';
import { Decoy, decoyName } from '../ui/decoy.tsx';
import { Field, type FieldProps } from '../ui/field.tsx';
import { FormStatus } from '../ui/form-status.tsx';
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
  message: { rows: 5, placeholder: words.message_hint },
};

type ContactFormProps = {
  location: 'homepage' | 'contact' | '{{form_location}}';
  /** What the server puts back after a post without a script. */
  filled?: {
    error: string;
    idempotencyKey: string;
    field: (name: ContactField) => Partial<FieldProps>;
  };
};

export function ContactForm({ location, filled }: ContactFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [submission, setSubmission] = useSubmission(form, successLasts);
  const draft = useDraft(form, `draft-${location}`);
  const busy = submission.state === 'submitting';
  const shown: Submission = filled
    ? { state: 'error', message: filled.error, fields: [] }
    : submission;

  async function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (busy) return;
    const data = new FormData(event.currentTarget);
    const text = (name: string) => String(data.get(name) ?? '');
    const values = Object.fromEntries(fieldNames.map((name) => [name, text(name)])) as Values;
    const correction = checkContact(values);
    if (correction) return setSubmission({ state: 'error', ...correction });

    setSubmission({ state: 'submitting' });
    const outcome = await send(values, text(decoyName), location, draft);
    setSubmission(outcome);
    if (outcome.state === 'success') {
      form.current?.reset();
      draft.clear();
    }
  }

  return (
    <form
      ref={form}
      className={styles.form}
      method="post"
      action="/api/contacts"
      onSubmit={onSubmit}
      onInput={draft.save}
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
            {...filled?.field(name)}
          />
        ))}
      </div>
      <FormStatus id={statusId} submission={shown} />
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

const send = (values: Values, decoy: string, location: string, draft: Draft) =>
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
    { 'idempotency-key': draft.idempotencyKey(values) },
  );
