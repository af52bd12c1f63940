/** The newsletter's one field. Posts without a script too; the answer never tells who is known. */
import { type FormEvent, useRef } from 'react';
import type { Messages, PageContent } from '../content/types.ts';
import { type Submission, sendForm } from '../lib/send-form.ts';
import { checkNewsletter } from '../lib/validate.ts';
import { Button } from '../ui/button.tsx';
import { Field, type FieldProps, FormStatus, Honeypot, honeypotName, useSubmission } from '../ui/form.tsx';
import styles from './newsletter-form.module.css';

/** Says what is wrong; the server knows it by this name (`src/http/forms/newsletter.rs`). */
const statusId = 'newsletter-status';

export type NewsletterFormProps = {
  words: Omit<PageContent['blog']['newsletter'], 'kicker' | 'title' | 'text'>;
  /** The most characters of an address. */
  limit: number;
  messages: Pick<
    Messages,
    'email_shape' | 'newsletter_email_missing' | 'newsletter_accepted' | 'newsletter_failed'
  >;
  /** The server fills these in again after a post without a script. */
  filled?: { error: string; field: Partial<FieldProps> };
};

export function NewsletterForm({ words, limit, messages, filled }: NewsletterFormProps) {
  const { consent_version } = words;
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
    const correction = checkNewsletter(email, limit, messages);
    if (correction) return setSubmission({ state: 'error', ...correction });

    setSubmission({ state: 'submitting' });
    const outcome = await sendForm(
      '/api/newsletter',
      { email, [honeypotName]: String(data.get(honeypotName) ?? ''), consent_version },
      {
        what: 'subscription',
        done: messages.newsletter_accepted,
        failed: messages.newsletter_failed,
      },
    );
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
      <input type="hidden" name="consent_version" value={consent_version} />
      <Honeypot label={words.honeypot} />
      <div className={styles.row}>
        <Field
          name="email"
          type="email"
          label={words.email}
          required
          inputMode="email"
          autoComplete="email"
          disabled={busy}
          invalid={shown.state === 'error' && shown.fields.includes('email')}
          errorId={statusId}
          {...filled?.field}
        />
        <Button type="submit" disabled={busy}>
          {busy ? words.sending : words.subscribe}
        </Button>
      </div>
      <FormStatus id={statusId} submission={shown} />
      <p className={styles.consent}>{words.consent}</p>
    </form>
  );
}
