/** The parts of a form: its state, a field with its label, what became of the form, and the honeypot. */
import { type InputHTMLAttributes, type RefObject, useEffect, useId, useState } from 'react';
import type { Submission } from '../lib/send-form.ts';
import styles from './form.module.css';
import { Icon } from './icon.tsx';

/**
 * A form's state, and where the keyboard's focus goes with it. A success
 * message goes by itself where `successLasts` says so, an error stays until
 * the next submit.
 */
export function useSubmission(form: RefObject<HTMLFormElement | null>, successLasts?: number) {
  const [submission, setSubmission] = useState<Submission>({ state: 'idle' });
  useEffect(() => {
    const { state } = submission;
    if (state !== 'success' && state !== 'error') return;
    // While sending, the disabled button let go of the focus.
    const wrong = state === 'error' && submission.fields[0];
    const { elements } = form.current ?? {};
    const target = wrong ? elements?.namedItem(wrong) : form.current?.querySelector('button');
    if (target instanceof HTMLElement) target.focus({ preventScroll: state === 'success' });
    if (state === 'error' || !successLasts) return;
    const timer = setTimeout(() => setSubmission({ state: 'idle' }), successLasts);
    return () => clearTimeout(timer);
  }, [submission, form, successLasts]);
  return [submission, setSubmission] as const;
}

export type FieldProps = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  'type' | 'required' | 'disabled' | 'autoComplete' | 'inputMode' | 'maxLength' | 'defaultValue'
> & {
  placeholder?: string | undefined;
  name: string;
  label: string;
  /** A word beside the label, such as "optional". */
  note?: string | undefined;
  /** With rows it is a text area. */
  rows?: number;
  /** Whether it is wrong, and the element that says why. */
  invalid?: boolean;
  errorId?: string | undefined;
};

/** A label and its input, told to assistive technology as one. */
export function Field({
  label,
  note,
  invalid = false,
  errorId,
  rows,
  type = 'text',
  ...rest
}: FieldProps) {
  const id = useId();
  const shared = {
    id,
    className: styles.input,
    'aria-invalid': invalid || undefined,
    'aria-describedby': invalid ? errorId : undefined,
    ...rest,
  };
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
        {note && <span className={styles.note}> ({note})</span>}
      </label>
      {rows ? <textarea rows={rows} {...(shared as object)} /> : <input type={type} {...shared} />}
    </div>
  );
}

/**
 * The outcome of the form. The region itself never changes: assistive
 * technology announces new text in a region that it knows.
 */
export function FormStatus({ id, submission }: { id: string; submission: Submission }) {
  const { state } = submission;
  return (
    <div id={id} role="status" aria-live="polite">
      {(state === 'success' || state === 'error') && (
        <p className={styles[state]}>
          <Icon name={state === 'success' ? 'check' : 'alert'} />
          {submission.message}
        </p>
      )}
    </div>
  );
}

/** As `src/http/` knows it. Nothing that a browser or a password manager has a word for. */
export const honeypotName = 'leave_empty';

/** A field nobody sees. Programs that fill in everything fill it in too. */
export function Honeypot({ label }: { label: string }) {
  return (
    <div className={styles.honeypot} aria-hidden="true">
      <label>
        {label}
        <input
          type="text"
          name={honeypotName}
          tabIndex={-1}
          autoComplete="off"
          data-1p-ignore
          data-bwignore
          data-lpignore="true"
          data-form-type="other"
        />
      </label>
    </div>
  );
}
