import { act } from '../../actions/toasts.ts';
import { useTimes } from '../../api/owner.ts';
import { useNewsletter } from '../../api/queries.ts';
import type { IssueRow } from '../../api/types.ts';
import { PageHead } from '../../frame/page-head.tsx';
import { inWords, number, plural } from '../../lib/words.ts';
import { newsletterViews } from '../../routes.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Icon, type IconName } from '../../ui/icon.tsx';
import prose from '../../ui/prose.module.css';
import styles from './newsletter.module.css';

const states: Record<IssueRow['state'], { word: string; icon: IconName }> = {
  scheduled: { word: 'goes out later', icon: 'clock' },
  sending: { word: 'is going out', icon: 'mail' },
  paused: { word: 'is paused', icon: 'clock' },
  done: { word: 'is sent', icon: 'check' },
  unfinished: { word: 'is not finished', icon: 'clock' },
  cancelled: { word: 'was cancelled', icon: 'cross' },
  given_up: { word: 'was given up', icon: 'alert' },
};

export const isRunning = ({ state }: IssueRow) => state === 'sending' || state === 'paused';

/** "132 of 214" */
export const sentOf = ({ sent, refused, unsure, left }: IssueRow) =>
  `${number(sent)} of ${number(sent + refused + unsure + left)}`;

function result(issue: IssueRow): string {
  const { state, sent, left } = issue;
  if (state === 'scheduled') return `It will go to ${number(left)} people.`;
  if (state !== 'cancelled') return `${sentOf(issue)} got it.`;
  return sent > 0 ? `${number(sent)} got it, then it was cancelled.` : 'Nobody got it.';
}

export function IssuesPage() {
  const { data } = useNewsletter();
  return (
    <>
      <PageHead title="Newsletter" command="frontdoor newsletter list" views={newsletterViews} />
      {data?.issues.length === 0 && (
        <Empty title="No issue was sent yet">
          <p>Issues you send appear here with their results.</p>
        </Empty>
      )}
      <ul className={styles.issues}>
        {data?.issues.map((issue) => (
          <Issue key={issue.id} issue={issue} />
        ))}
      </ul>
    </>
  );
}

function Issue({ issue }: { issue: IssueRow }) {
  const when = useTimes();
  const { id, subject, state, at, unsure, problem, refusals } = issue;
  return (
    <li>
      <article>
        <header>
          <h2>{subject}</h2>
          <p className={state === 'given_up' ? prose.fault : prose.aside}>
            <Icon name={states[state].icon} /> {states[state].word}
            {at && `, ${when(at).full}`}
          </p>
        </header>
        {!isRunning(issue) && (
          <p className={prose.small}>
            {result(issue)} {unsure > 0 && `${unsure} may or may not have arrived. `}
            {problem}
          </p>
        )}
        {state === 'scheduled' && (
          <p>
            <Button
              small
              command={`frontdoor newsletter cancel ${id}`}
              onClick={() => control(issue, 'cancel')}
            >
              Call it off
            </Button>
          </p>
        )}
        {refusals.length > 0 && (
          <details>
            <summary className={prose.link}>Refused: {refusals.length}</summary>
            <Facts rows={refusals.map(({ email, code }) => ({ label: code, value: email }))} />
          </details>
        )}
      </article>
      {isRunning(issue) && <Progress issue={issue} />}
    </li>
  );
}

const control = (issue: IssueRow, how: 'pause' | 'resume' | 'cancel') =>
  act(`newsletter/issues/${issue.id}/${how}`, ['newsletter']);

/** An issue that is being sent, with buttons to pause and cancel it. */
export function Progress({ issue }: { issue: IssueRow }) {
  const { sent, refused, unsure, left, state } = issue;
  const isPaused = state === 'paused';
  const gone = sent + refused + unsure;
  return (
    <section className={styles.progress} aria-label="Sending">
      <div>
        <p role="status">
          <b>{sentOf(issue)}</b> are sent{refused > 0 && `, ${refused} refused`}
          {unsure > 0 && `, ${plural(unsure, 'mail')} may or may not have arrived`}.{' '}
          {isPaused ? `Paused: ${left} wait.` : issue.problem}
        </p>
        <progress aria-label="Sent" value={gone} max={gone + left} />
        <p className={prose.aside}>{issue.subject}</p>
      </div>
      <div className={prose.row}>
        <Button onClick={() => control(issue, 'cancel')}>Call off the {inWords(left)} left</Button>
        {isPaused ? (
          <Button variant="primary" onClick={() => control(issue, 'resume')}>
            Go on
          </Button>
        ) : (
          <Button onClick={() => control(issue, 'pause')}>Pause</Button>
        )}
      </div>
    </section>
  );
}
