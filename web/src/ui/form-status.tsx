import type { Submission } from '../lib/send-form.ts';
import styles from './form-status.module.css';
import { Icon } from './icon.tsx';

/**
 * What became of the form. The region itself never changes: assistive
 * technology speaks what is new in a region it knows.
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
