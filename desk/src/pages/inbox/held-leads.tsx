import { Link } from 'wouter';
import { useOwner } from '../../api/owner.ts';
import type { LeadRow } from '../../api/types.ts';
import { useNow } from '../../lib/clock.ts';
import { paths } from '../../routes.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import prose from '../../ui/prose.module.css';
import styles from './held-leads.module.css';
import { Came } from './lead-line.tsx';
import list from './lead-list.module.css';

interface Props {
  leads: LeadRow[];
  picked: LeadRow | undefined;
  pick: (lead: LeadRow, focus: boolean) => void;
  decide: (lead: LeadRow, isSpam: boolean) => void;
}

/** The reason first, the words beneath. */
export function HeldLeads({ leads, picked, pick, decide }: Props) {
  const { promise_hours } = useOwner();
  const now = useNow();
  if (leads.length === 0)
    return (
      <Empty title="Nothing is held back" drawing="done">
        <p>What looks like spam waits here for you to decide, and nobody is told of it.</p>
      </Empty>
    );
  return (
    <section>
      <header className={list.group}>
        <h2>Held back for you to decide</h2>
        <span>{leads.length}</span>
        <span className={prose.low}>
          Nobody was told of these. The sender saw the usual thank-you.
        </span>
      </header>
      <ul>
        {leads.map((lead) => (
          <li key={lead.id} className={styles.row} data-picked={lead.id === picked?.id}>
            <p className={styles.who}>
              <Link
                id={`lead-${lead.id}`}
                className={styles.name}
                href={paths.lead(lead.id)}
                dir="auto"
                onFocus={() => pick(lead, false)}
              >
                {lead.name}
              </Link>
              <Came lead={lead} today={now} />
            </p>
            <p className={styles.why}>
              {lead.hold_reason ?? 'It looks like spam.'}
              <q dir="auto">{lead.excerpt}</q>
            </p>
            <p className={styles.decide}>
              <Button
                tight
                keys={['Shift', 's']}
                command={`frontdoor leads release ${lead.short_id}`}
                onClick={() => decide(lead, false)}
              >
                Not spam
              </Button>
              <Button
                tight
                keys={['s']}
                command={`frontdoor leads spam ${lead.short_id}`}
                onClick={() => decide(lead, true)}
              >
                Spam
              </Button>
            </p>
          </li>
        ))}
      </ul>
      <p className={styles.foot}>
        “Not spam” lets the notification, the thank-you mail and the webhook go out, and the{' '}
        {promise_hours} hours begin then. What you decide teaches the score.
      </p>
    </section>
  );
}
