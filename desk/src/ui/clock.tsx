import { useOwner } from '../api/owner.ts';
import type { LeadRow, LeadState } from '../api/types.ts';
import { urgency } from '../lib/groups.ts';
import { capital, hour, timeLeft } from '../lib/words.ts';
import { Icon, type IconName } from './icon.tsx';
import styles from './marks.module.css';

export const stateIcons: Record<LeadState | 'held', IconName> = {
  new: 'clock',
  answered: 'check',
  booked: 'calendar',
  closed: 'archive',
  spam: 'stop',
  held: 'lock',
};

/** A ring that drains over the promise; late, a filled disc with a hand. Leads that are dealt with have a word and an icon. */
export function Clock({ lead, now }: { lead: LeadRow; now: number }) {
  const { promise_hours } = useOwner();
  const kind = urgency(lead, now);
  if (lead.held || kind === 'done' || lead.due_at === null) {
    const state = lead.held ? 'held' : lead.state;
    return (
      <span className={styles.clock} data-kind="done">
        <Icon name={stateIcons[state]} />
        {state === 'new' ? 'Waiting' : capital(state)}
      </span>
    );
  }
  const due = Date.parse(lead.due_at);
  const share = Math.min(1, Math.max(0, (due - now) / (promise_hours * hour)));
  return (
    <span className={styles.clock} data-kind={kind}>
      <svg className={styles.ring} viewBox="0 0 16 16" aria-hidden="true">
        <circle cx="8" cy="8" r="6.5" />
        {kind === 'late' ? (
          <path d="M8 5v3.2l2 1.6" />
        ) : (
          <circle cx="8" cy="8" r="6.5" pathLength="1" strokeDasharray={`${share} 1`} />
        )}
      </svg>
      {timeLeft(due, now, Date.parse(lead.created_at))}
    </span>
  );
}
