import { act } from '../../actions/leads.ts';
import { post } from '../../api/client.ts';
import type { IssueRow } from '../../api/types.ts';
import { inWords, plural } from '../../lib/words.ts';
import { Button } from '../../ui/button.tsx';
import prose from '../../ui/prose.module.css';
import styles from './progress.module.css';

export const steer = (issue: IssueRow, what: 'pause' | 'resume' | 'cancel') =>
  void act(() => post(`newsletter/issues/${issue.id}/${what}`), 'newsletter');

/** An issue on its way, which can be paused and called off. */
export function Progress({ issue }: { issue: IssueRow }) {
  const { sent, refused, unsure, left, state } = issue;
  const all = sent + refused + unsure + left;
  const isPaused = state === 'paused';
  return (
    <section className={styles.progress} aria-label="Sending">
      <div className={styles.going}>
        <p role="status">
          <b>
            {sent.toLocaleString('en')} of {all.toLocaleString('en')}
          </b>{' '}
          are sent{refused > 0 && `, ${refused} refused`}
          {unsure > 0 && `, of ${plural(unsure, 'mail')} nobody knows`}.{' '}
          {isPaused ? `Paused: ${left} wait.` : issue.says}
        </p>
        <progress aria-label="Sent" value={sent + refused + unsure} max={all} />
        <p className={prose.aside}>{issue.subject}</p>
      </div>
      <div className={styles.acts}>
        <Button onClick={() => steer(issue, 'cancel')}>
          Call off the {left < 13 ? inWords(left) : left} left
        </Button>
        {isPaused ? (
          <Button look="go" onClick={() => steer(issue, 'resume')}>
            Go on
          </Button>
        ) : (
          <Button onClick={() => steer(issue, 'pause')}>Pause</Button>
        )}
      </div>
    </section>
  );
}
