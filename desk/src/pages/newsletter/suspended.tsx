import { act } from '../../actions/leads.ts';
import { post } from '../../api/client.ts';
import { useOwner } from '../../api/owner.ts';
import type { IssueRow, SubscriberRow } from '../../api/types.ts';
import { useNow } from '../../lib/clock.ts';
import { fullTime } from '../../lib/time.ts';
import { plural } from '../../lib/words.ts';
import { Button } from '../../ui/button.tsx';
import { Part } from '../../ui/facts.tsx';
import prose from '../../ui/prose.module.css';
import table from '../../ui/table.module.css';

export const Resume = ({ subscriber }: { subscriber: SubscriberRow }) => (
  <Button
    look="text"
    command={`frontdoor subscribers resume ${subscriber.email}`}
    onClick={() =>
      void act(() => post(`subscribers/${subscriber.id}/resume`), 'newsletter', 'subscribers')
    }
  >
    Resume<span className={prose.hidden}> {subscriber.email}</span>
  </Button>
);

/** Addresses that get nothing any more, and why. */
export const Suspended = ({ subscribers }: { subscribers: SubscriberRow[] }) => (
  <Part
    title="Suspended"
    says={
      subscribers.length > 0
        ? `${plural(subscribers.length, 'address', 'addresses')} that the mail servers refuse`
        : 'no address is refused'
    }
  >
    {subscribers.length > 0 && (
      <div className={table.wrap}>
        <table>
          <thead>
            <tr>
              <th scope="col">Address</th>
              <th scope="col">What was said</th>
              <th scope="col">
                <span className={prose.hidden}>Do</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {subscribers.map((subscriber) => (
              <tr key={subscriber.id}>
                <th scope="row">{subscriber.email}</th>
                <td>{subscriber.says}</td>
                <td>
                  <Resume subscriber={subscriber} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
  </Part>
);

export function LastIssue({ issues }: { issues: IssueRow[] }) {
  const { zone } = useOwner().site;
  const now = useNow();
  const issue = issues.find(({ state }) => state === 'done');
  if (!issue) return null;
  const all = issue.sent + issue.refused + issue.unsure + issue.left;
  return (
    <Part title="Last issue" says={issue.at ? fullTime(Date.parse(issue.at), now, zone) : ''}>
      <p className={prose.small}>
        <b>{issue.subject}</b> reached {issue.sent.toLocaleString('en')} of{' '}
        {all.toLocaleString('en')}. {issue.says}
      </p>
    </Part>
  );
}
