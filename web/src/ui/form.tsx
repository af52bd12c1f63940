/** The parts of a form: its state, a field with its label, what became of the form, and the honeypot. */
import {
  type FormEvent,
  type InputHTMLAttributes,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import type { Submission } from '../lib/send-form.ts';
import styles from './form.module.css';
import { Icon } from './icon.tsx';

type FormSetup = {
  /** Where the form posts to, with or without a script. */
  action: string;
  /** Finds mistakes before anything is sent. */
  check: (data: FormData) => { message: string; fields: string[] } | undefined;
  send: (form: HTMLFormElement, data: FormData) => Promise<Submission>;
  /** Milliseconds until a success message goes; by default it stays. */
  successLasts?: number;
  /** The server's error, after a post without a script. */
  error?: string | undefined;
};

/** A form's state, and where the keyboard's focus goes with it. An error stays until the next submit. */
export function useForm({ action, check, send, successLasts, error }: FormSetup) {
  const ref = useRef<HTMLFormElement>(null);
  const [submission, setSubmission] = useState<Submission>(
    error ? { state: 'error', message: error, fields: [] } : { state: 'idle' },
  );
  const busy = submission.state === 'submitting';

  useEffect(() => {
    const { state } = submission;
    if (state !== 'success' && state !== 'error') return;
    // While sending, the disabled button let go of the focus.
    const wrong = state === 'error' && submission.fields[0];
    const { elements } = ref.current ?? {};
    const target = wrong ? elements?.namedItem(wrong) : ref.current?.querySelector('button');
    if (target instanceof HTMLElement) target.focus({ preventScroll: state === 'success' });
    if (state === 'error' || !successLasts) return;
    const timer = setTimeout(() => setSubmission({ state: 'idle' }), successLasts);
    return () => clearTimeout(timer);
  }, [submission, successLasts]);

  async function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (busy) return;
    const form = event.currentTarget;
    const data = new FormData(form);
    const correction = check(data);
    if (correction) return setSubmission({ state: 'error', ...correction });
    setSubmission({ state: 'submitting' });
    const outcome = await send(form, data);
    setSubmission(outcome);
    if (outcome.state === 'success') form.reset();
  }

  // Before it woke, the script told the form to leave the checking to us: no warning about that.
  const props = { ref, method: 'post', action, onSubmit, suppressHydrationWarning: true };
  return { props, submission, busy };
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
    <div className="visually-hidden" aria-hidden="true">
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
