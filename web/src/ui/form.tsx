/** The parts of a form: its state, a field with its label, the outcome, and the honeypot. */
import {
  type FormEvent,
  type InputHTMLAttributes,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import styles from './form.module.css';
import { Icon } from './icon.tsx';

/** Where a form stands. `fields` are the ones to correct. */
type Submission =
  | { state: 'idle' }
  | { state: 'submitting' }
  | { state: 'success'; message: string; answer: Answer }
  | { state: 'error'; message: string; fields: string[] };

/** What is typed, by the names of the fields. */
export type FormValues = Record<string, string>;

type FormSetup = {
  /** Where the form posts to, with or without a script. */
  action: string;
  /** What the form sends, in the console's messages: "The … could not be sent." */
  what: string;
  /** Finds mistakes before anything is sent. */
  check: (values: FormValues) => { message: string; fields: string[] } | undefined;
  /** What is sent, as JSON. */
  body: (values: FormValues) => object;
  headers?: (form: HTMLFormElement, values: FormValues) => HeadersInit;
  successMessage: string;
  failureMessage: string;
  onSuccess?: (form: HTMLFormElement, values: FormValues, answer: Answer) => void;
  /** Milliseconds until a success message disappears; by default it stays. */
  successDuration?: number;
  /** The server's error, after a post without a script. */
  error?: string | undefined;
};

/** How long a form waits for the server's answer, in milliseconds. */
const timeout = 15_000;

/** A form's state. It also moves the keyboard's focus: to the wrong field, or back to the button. An error stays until the next submit. */
export function useForm(setup: FormSetup) {
  const { action, successDuration, error } = setup;
  const ref = useRef<HTMLFormElement>(null);
  const [submission, setSubmission] = useState<Submission>(
    error ? { state: 'error', message: error, fields: [] } : { state: 'idle' },
  );
  const busy = submission.state === 'submitting';

  useEffect(() => {
    const { state } = submission;
    if (state !== 'success' && state !== 'error') return;
    // While sending, the disabled button lost the focus.
    const wrong = state === 'error' && submission.fields[0];
    const { elements } = ref.current ?? {};
    const target = wrong ? elements?.namedItem(wrong) : ref.current?.querySelector('button');
    if (target instanceof HTMLElement) target.focus({ preventScroll: state === 'success' });
    if (state === 'error' || !successDuration) return;
    const timer = setTimeout(() => setSubmission({ state: 'idle' }), successDuration);
    return () => clearTimeout(timer);
  }, [submission, successDuration]);

  async function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (busy) return;
    const form = event.currentTarget;
    const values = Object.fromEntries(new FormData(form)) as FormValues;
    const correction = setup.check(values);
    if (correction) return setSubmission({ state: 'error', ...correction });
    setSubmission({ state: 'submitting' });
    const outcome = await send(setup, form, values);
    setSubmission(outcome);
    if (outcome.state !== 'success') return;
    setup.onSuccess?.(form, values, outcome.answer);
    form.reset();
  }

  // `noValidate` was set before React started (`islands/triggers.ts`): React must not warn about it.
  const props = { ref, method: 'post', action, onSubmit, suppressHydrationWarning: true };
  return { props, submission, busy };
}

/** What the server answers to what it accepts: the id, if it is a lead. */
type Answer = { id?: string };

/** The server answers with a problem document (RFC 9457) or nothing. */
type Problem = { detail?: string; errors?: { field: string }[] };

async function send(
  { action, what, body, headers, successMessage, failureMessage }: FormSetup,
  form: HTMLFormElement,
  values: FormValues,
): Promise<Submission> {
  const json = 'application/json';
  let problem: Problem = {};
  try {
    const response = await fetch(action, {
      method: 'POST',
      headers: { 'content-type': json, accept: json, ...headers?.(form, values) },
      body: JSON.stringify(body(values)),
      signal: AbortSignal.timeout(timeout),
    });
    const answer = await response.json().catch(() => problem);
    if (response.ok) return { state: 'success', message: successMessage, answer };
    problem = answer;
    console.error(`The ${what} was not accepted: ${response.status}`);
  } catch (error) {
    console.error(`The ${what} could not be sent.`, error);
  }
  const { detail = failureMessage, errors = [] } = problem;
  return { state: 'error', message: detail, fields: errors.map(({ field }) => field) };
}

export type FieldProps = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  'type' | 'required' | 'disabled' | 'autoComplete' | 'inputMode' | 'defaultValue'
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

/** A label and its input, one thing to assistive technology. */
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

/** The outcome of the form. The region itself never changes: assistive technology announces new text in one it knows. */
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

/** The name that `src/http/` knows. No browser or password manager fills in a field of this name. */
const honeypotName = 'leave_empty';

/** A field that nobody sees. Programs that fill in everything fill it in, too. */
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
