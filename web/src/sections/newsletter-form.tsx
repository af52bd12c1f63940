/** The newsletter's one field. Posts without a script too; the answer never tells who is known. */
import messages from 'content:messages';
import { type FormEvent, useRef } from 'react';
import { useSubmission } from '../hooks/use-submission.ts';
import { type Submission, sendForm } from '../lib/send-form.ts';
import { checkNewsletter } from '../lib/validate.ts';
import { Button } from '../ui/button.tsx';
import { Decoy, decoyName } from '../ui/decoy.tsx';
import { Field, type FieldProps } from '../ui/field.tsx';
import { FormStatus } from '../ui/form-status.tsx';
import type { IslandProps } from '../ui/island.tsx';
import styles from './newsletter-form.module.css';

/** Says what is wrong; the server knows it by this name (`src/http/forms/newsletter.rs`). */
const statusId = 'newsletter-status';

type Word = 'email' | 'decoy' | 'subscribe' | 'sending' | 'consent';

export type NewsletterFormProps = {
  /** Which wording of the consent the visitor has before them. */
  consentVersion: number;
  /** What the server puts back after a post without a script. */
  filled?: { error: string; field: Partial<FieldProps> };
};

export function NewsletterForm({
  consentVersion,
  words,
  filled,
}: NewsletterFormProps & IslandProps<Word>) {
  const form = useRef<HTMLFormElement>(null);
  const [submission, setSubmission] = useSubmission(form);
  const busy = submission.state === 'submitting';
  const shown: Submission = filled
    ? { state: 'error', message: filled.error, fields: [] }
    : submission;

  async function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (busy) return;
    const data = new FormData(event.currentTarget);
    const email = String(data.get('email') ?? '');
    const correction = checkNewsletter(email);
    if (correction) return setSubmission({ state: 'error', ...correction });

    setSubmission({ state: 'submitting' });
    const outcome = await subscribe(email, String(data.get(decoyName) ?? ''), consentVersion);
    setSubmission(outcome);
    if (outcome.state === 'success') form.current?.reset();
  }

  return (
    <form
      ref={form}
      className={styles.form}
      method="post"
      action="/api/newsletter"
      onSubmit={onSubmit}
      // Asleep it was told to leave the checking to us.
      suppressHydrationWarning
    >
      <input type="hidden" name="consent_version" value={consentVersion} />
      <Decoy label={words.decoy} />
      <div className={styles.row}>
        <Field
          name="email"
          type="email"
          label={words.email}
          labelWord="email"
          required
          inputMode="email"
          autoComplete="email"
          disabled={busy}
          invalid={shown.state === 'error' && shown.fields.includes('email')}
          errorId={statusId}
          {...filled?.field}
        />
        <Button type="submit" disabled={busy} data-word="subscribe">
          {busy ? words.sending : words.subscribe}
        </Button>
      </div>
      <FormStatus id={statusId} submission={shown} />
      <p className={styles.consent} data-word="consent">
        {words.consent}
      </p>
    </form>
  );
}

const subscribe = (email: string, decoy: string, consentVersion: number) =>
  sendForm(
    '/api/newsletter',
    { email, [decoyName]: decoy, consent_version: consentVersion },
    {
      what: 'subscription',
      done: messages.newsletter_accepted,
      failed: messages.newsletter_failed,
    },
  );
