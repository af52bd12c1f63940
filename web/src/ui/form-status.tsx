import type { Submission } from '../hooks/use-submission.ts';
import styles from './form-status.module.css';
import { Icon } from './icon.tsx';

/** What became of the form, spoken as soon as it changes. */
export function FormStatus({ id, submission }: { id: string; submission: Submission }) {
  const { state } = submission;
  return (
    <div id={id} role={state === 'error' ? 'alert' : 'status'} aria-live="polite">
      {(state === 'success' || state === 'error') && (
        <p className={styles[state]}>
          <Icon name={state === 'success' ? 'check' : 'alert'} />
          {submission.message}
        </p>
      )}
    </div>
  );
}
