import { useOwner } from '../api/owner.ts';
import type { LeadRow, LeadState } from '../api/types.ts';
import { urgency } from '../lib/groups.ts';
import { hour, timeLeft } from '../lib/time.ts';
import { Icon, type IconName } from './icon.tsx';
import styles from './marks.module.css';

const states: Record<LeadState, { word: string; icon: IconName }> = {
  new: { word: 'Waiting', icon: 'clock' },
  answered: { word: 'Answered', icon: 'check' },
  booked: { word: 'Booked', icon: 'calendar' },
  closed: { word: 'Closed', icon: 'archive' },
  spam: { word: 'Spam', icon: 'stop' },
};

/** A ring that drains over the promise; late, a filled disc with a hand. Leads that are dealt with have a word and an icon. */
export function Clock({ lead, now }: { lead: LeadRow; now: number }) {
  const { promise_hours } = useOwner();
  const kind = urgency(lead, now);
  if (lead.held || kind === 'done' || lead.due_at === null) {
    const { word, icon } = lead.held ? { word: 'Held', icon: 'lock' as const } : states[lead.state];
    return (
      <span className={styles.clock} data-kind="done">
        <Icon name={icon} />
        {word}
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
