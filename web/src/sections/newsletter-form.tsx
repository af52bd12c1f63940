/** The newsletter's one field. It posts without a script, too; the answer never reveals who has subscribed. */
import type { Messages, PageContent } from '../content/types.ts';
import { checkNewsletter } from '../lib/validate.ts';
import { Button } from '../ui/button.tsx';
import { Field, type FieldProps, FormStatus, Honeypot, useForm } from '../ui/form.tsx';
import styles from './newsletter-form.module.css';

/** The element that says what is wrong; the server uses the same id (`src/http/forms/newsletter.rs`). */
const statusId = 'newsletter-status';

export type NewsletterFormProps = {
  words: Omit<PageContent['blog']['newsletter'], 'kicker' | 'title' | 'text'>;
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
  const { props, submission, busy } = useForm({
    action: '/api/newsletter',
    what: 'subscription',
    successMessage: messages.newsletter_accepted,
    failureMessage: messages.newsletter_failed,
    error: filled?.error,
    check: ({ email = '' }) => checkNewsletter(email, limit, messages),
    body: (values) => ({ ...values, consent_version }),
  });

  return (
    <form {...props} className={styles.form}>
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
          invalid={submission.state === 'error' && submission.fields.includes('email')}
          errorId={statusId}
          {...filled?.field}
        />
        <Button type="submit" disabled={busy}>
          {busy ? words.sending : words.subscribe}
        </Button>
      </div>
      <FormStatus id={statusId} submission={submission} />
      <p className={styles.consent}>{words.consent}</p>
    </form>
  );
}
