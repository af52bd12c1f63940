import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { act, release } from '../../actions/leads.ts';
import { post } from '../../api/client.ts';
import { useOwner } from '../../api/owner.ts';
import type { DeliveryRow, LeadPage, LeadState } from '../../api/types.ts';
import { useNow } from '../../lib/clock.ts';
import { isWaiting } from '../../lib/groups.ts';
import { byTime, fullTime, recentTime, shortDate, shortTime } from '../../lib/time.ts';
import { plural } from '../../lib/words.ts';
import { paths } from '../../routes.ts';
import { DeliveryList } from '../../sections/delivery-list.tsx';
import { ProofDialog } from '../../sections/proof-dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { Clock } from '../../ui/clock.tsx';
import { Fact, Facts, Part } from '../../ui/facts.tsx';
import prose from '../../ui/prose.module.css';
import type { LeadDialog } from './more-dialog.tsx';
import { StateButtons } from './state-buttons.tsx';
import styles from './their-side.module.css';

interface Props {
  page: LeadPage;
  replying: boolean;
  mark: (state: LeadState) => void;
  open: (dialog: LeadDialog) => void;
}

/** Who wrote, what they wrote, and all that is known about it. */
export function TheirSide({ page, replying, mark, open }: Props) {
  const { lead } = page;
  const { zone } = useOwner().site;
  const now = useNow();
  return (
    <div className={styles.side}>
      <div className={styles.person}>
        <div>
          <h1 className={prose.title} dir="auto">
            {lead.name}
          </h1>
          <p className={styles.contact}>
            <a className={prose.link} href={`mailto:${lead.email}`}>
              {lead.email}
            </a>
            {lead.phone && (
              <a className={prose.link} href={`tel:${lead.phone.replace(/[^+\d]/g, '')}`}>
                {lead.phone}
              </a>
            )}
          </p>
        </div>
        <p className={styles.promise}>
          <Clock lead={lead} now={now} />
          <span className={prose.aside}>{promiseSays(page, now, zone)}</span>
        </p>
      </div>

      <StateButtons lead={lead} replying={replying} mark={mark} openNote={() => open('note')} />

      <div className={styles.message} dir="auto">
        {lead.message.split(/\n{2,}/).map((paragraph, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a message does not change.
          <p key={index}>{paragraph}</p>
        ))}
      </div>
      <p className={prose.aside}>{cameFrom(page, now, zone)}</p>

      {lead.note && (
        <p className={styles.note} dir="auto">
          {lead.note}
          <button type="button" className={prose.link} onClick={() => open('note')}>
            Change
          </button>
        </p>
      )}
      <Before page={page} now={now} zone={zone} />
      <SpamVerdict page={page} />
      <Deliveries deliveries={page.deliveries} />
      <Part title="History">
        <Facts>
          {page.history.map((entry) => (
            <Fact
              key={`${entry.at} ${entry.what}`}
              label={recentTime(Date.parse(entry.at), now, zone)}
            >
              {entry.who ? `${entry.who} ${entry.what}` : entry.what}
            </Fact>
          ))}
        </Facts>
        <p className={prose.aside}>
          The end of its id, for the command line: <code>{lead.short_id}</code>
        </p>
      </Part>
    </div>
  );
}

function promiseSays({ lead, reply }: LeadPage, now: number, zone: string): string {
  if (lead.held) return 'back for you to decide';
  if (reply.leaving) return 'answered once the reply has left';
  if (isWaiting(lead) && lead.due_at)
    return `promised by ${byTime(Date.parse(lead.due_at), now, zone)}`;
  if (lead.outcome) return lead.outcome;
  return lead.answered_at ? shortTime(Date.parse(lead.answered_at), now, zone) : '';
}

function cameFrom({ lead }: LeadPage, now: number, zone: string): string {
  const from = lead.source === 'Direct' ? 'Came directly' : `From ${lead.source}`;
  const landed = lead.landing_path ? `, landed on ${lead.landing_path}` : '';
  const campaign = lead.campaign ? `, campaign ${lead.campaign}` : '';
  return `${fullTime(Date.parse(lead.created_at), now, zone)}, ${lead.form}. ${from}${landed}${campaign}`;
}

function Before({ page, now, zone }: { page: LeadPage; now: number; zone: string }) {
  const { before, subscriber } = page;
  const [showsProof, setShowsProof] = useState(false);
  if (before.length === 0 && !subscriber) return null;
  const said: ReactNode[] = [];
  if (before.length > 0) said.push(plural(before.length, 'message'));
  if (subscriber) said.push('subscriber');
  return (
    <Part title="Before" says={said.join(', ')}>
      <Facts>
        {before.map((message) => (
          <Fact
            key={message.id}
            label={shortDate(Date.parse(message.created_at), now, zone)}
            end={<span className={prose.low}>{message.outcome}</span>}
          >
            <Link className={prose.link} href={paths.lead(message.id)} dir="auto">
              “{message.excerpt}”
            </Link>
          </Fact>
        ))}
        {subscriber && (
          <Fact
            label={shortDate(Date.parse(subscriber.since), now, zone)}
            end={
              <Button look="text" onClick={() => setShowsProof(true)}>
                Proof
              </Button>
            }
          >
            Newsletter: {subscriber.state}
          </Fact>
        )}
      </Facts>
      {showsProof && subscriber && (
        <ProofDialog
          subscriber={{ id: subscriber.id, email: page.lead.email }}
          onClose={() => setShowsProof(false)}
        />
      )}
    </Part>
  );
}

function SpamVerdict({ page: { lead, spam } }: { page: LeadPage }) {
  const score = spam.score.toFixed(1).replace('-', '−');
  return (
    <Part title={spam.verdict} says={`score ${score}, held from ${spam.held_from.toFixed(1)}`}>
      <p className={prose.small}>{spam.reasons.join(' ')}</p>
      {(lead.held || lead.state === 'spam') && (
        <p className={styles.decide}>
          <Button
            tight
            keys={['Shift', 's']}
            command={`frontdoor leads release ${lead.short_id}`}
            onClick={() => void release(lead)}
          >
            Not spam
          </Button>
          {lead.held && <span className={prose.aside}>What was held back then goes out.</span>}
        </p>
      )}
    </Part>
  );
}

const retry = (delivery: DeliveryRow) =>
  act(() => post(`deliveries/${delivery.id}/retry`), 'lead', 'health', 'summary');

const Deliveries = ({ deliveries }: { deliveries: DeliveryRow[] }) => (
  <Part title="Deliveries">
    {deliveries.length > 0 ? (
      <DeliveryList deliveries={deliveries} retry={retry} />
    ) : (
      <p className={prose.aside}>Nothing was sent.</p>
    )}
  </Part>
);
