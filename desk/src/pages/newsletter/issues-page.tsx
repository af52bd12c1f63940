import { useOwner } from '../../api/owner.ts';
import { useNewsletter } from '../../api/queries.ts';
import type { IssueRow } from '../../api/types.ts';
import { useCommand } from '../../frame/foot-line.tsx';
import { PageHead } from '../../frame/page-head.tsx';
import { useNow } from '../../lib/clock.ts';
import { fullTime } from '../../lib/time.ts';
import { paths } from '../../routes.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Icon, type IconName } from '../../ui/icon.tsx';
import prose from '../../ui/prose.module.css';
import styles from './issues-page.module.css';
import { NewsletterViews } from './newsletter-views.tsx';
import { Progress, steer } from './progress.tsx';

const states: Record<IssueRow['state'], { word: string; icon: IconName }> = {
  scheduled: { word: 'goes out later', icon: 'clock' },
  sending: { word: 'is going out', icon: 'mail' },
  paused: { word: 'is paused', icon: 'clock' },
  done: { word: 'is sent', icon: 'check' },
  cancelled: { word: 'was called off', icon: 'cross' },
  given_up: { word: 'was given up', icon: 'alert' },
};

export function IssuesPage() {
  const { data } = useNewsletter();
  useCommand('frontdoor newsletter list');
  return (
    <>
      <PageHead title="Newsletter" views={<NewsletterViews current={paths.issues} />} />
      {data?.issues.length === 0 && (
        <Empty title="No issue was sent yet">
          <p>What you send stands here, with what became of it.</p>
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
  const { zone } = useOwner().site;
  const now = useNow();
  const { word, icon } = states[issue.state];
  const runs = issue.state === 'sending' || issue.state === 'paused';
  const all = issue.sent + issue.refused + issue.unsure + issue.left;
  return (
    <li>
      <article className={styles.issue}>
        <header>
          <h2>{issue.subject}</h2>
          <p className={issue.state === 'given_up' ? prose.fault : prose.aside}>
            <Icon name={icon} /> {word}
            {issue.at && `, ${fullTime(Date.parse(issue.at), now, zone)}`}
          </p>
        </header>
        {!runs && (
          <p className={prose.small}>
            {issue.state === 'scheduled'
              ? `It will go to ${issue.left.toLocaleString('en')} people.`
              : `${issue.sent.toLocaleString('en')} of ${all.toLocaleString('en')} got it.`}{' '}
            {issue.unsure > 0 && `Of ${issue.unsure} nobody knows. `}
            {issue.says}
          </p>
        )}
        {issue.state === 'scheduled' && (
          <p>
            <Button
              tight
              command={`frontdoor newsletter cancel ${issue.id}`}
              onClick={() => steer(issue, 'cancel')}
            >
              Call it off
            </Button>
          </p>
        )}
        {issue.refusals.length > 0 && (
          <details>
            <summary className={prose.link}>Refused: {issue.refusals.length}</summary>
            <Facts>
              {issue.refusals.map(({ email, says }) => (
                <Fact key={email} label={says}>
                  {email}
                </Fact>
              ))}
            </Facts>
          </details>
        )}
      </article>
      {runs && <Progress issue={issue} />}
    </li>
  );
}
