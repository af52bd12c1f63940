import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { useTimes } from '../../api/owner.ts';
import type { LeadPage } from '../../api/types.ts';
import { isWaiting } from '../../lib/groups.ts';
import { plural } from '../../lib/words.ts';
import { paths } from '../../routes.ts';
import { DeliveryList } from '../../sections/delivery-list.tsx';
import { ProofDialog } from '../../sections/proof-dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { Clock } from '../../ui/clock.tsx';
import { Fact, Facts, Part } from '../../ui/facts.tsx';
import prose from '../../ui/prose.module.css';
import styles from './lead.module.css';

interface Props {
  page: LeadPage;
  /** What can be done with the lead. */
  children: ReactNode;
  changeNote: () => void;
  notSpam: (() => void) | undefined;
}

type Times = ReturnType<typeof useTimes>;

/** Who wrote, what they wrote, and all that is known about it. */
export function TheirSide({ page, children, changeNote, notSpam }: Props) {
  const { lead, spam } = page;
  const times = useTimes();
  const score = spam.score.toFixed(1).replace('-', '−');
  return (
    <div className={styles.theirs}>
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
          <Clock lead={lead} now={times.now} />
          <span className={prose.aside}>{promiseSays(page, times)}</span>
        </p>
      </div>

      {children}

      <div className={styles.message} dir="auto">
        {lead.message.split(/\n{2,}/).map((paragraph, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a message does not change.
          <p key={index}>{paragraph}</p>
        ))}
      </div>
      <p className={prose.aside}>{cameFrom(page, times)}</p>

      {lead.note && (
        <p className={styles.note} dir="auto">
          {lead.note}
          <button type="button" className={prose.link} onClick={changeNote}>
            Change
          </button>
        </p>
      )}
      <Before page={page} />
      <Part title={spam.verdict} says={`score ${score}, held from ${spam.held_from.toFixed(1)}`}>
        <p className={prose.small}>{spam.reasons.join(' ') || 'Nothing in it looks like spam.'}</p>
        {notSpam && (
          <p className={styles.decide}>
            <Button
              tight
              keys="Shift s"
              command={`frontdoor leads release ${lead.short_id}`}
              onClick={notSpam}
            >
              Not spam
            </Button>
            {lead.held && <span className={prose.aside}>What was held back then goes out.</span>}
          </p>
        )}
      </Part>
      <Part title="Deliveries">
        {page.deliveries.length > 0 ? (
          <DeliveryList deliveries={page.deliveries} />
        ) : (
          <p className={prose.aside}>Nothing was sent.</p>
        )}
      </Part>
      <Part title="History">
        <Facts>
          {page.history.map((entry) => (
            <Fact key={`${entry.at} ${entry.what}`} label={times.recent(entry.at)}>
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

function promiseSays({ lead, reply }: LeadPage, times: Times): string {
  if (lead.held) return 'back for you to decide';
  if (reply.leaving) return 'answered once the reply has left';
  if (isWaiting(lead) && lead.due_at) return `promised by ${times.by(lead.due_at)}`;
  if (lead.outcome) return lead.outcome;
  return lead.answered_at ? times.short(lead.answered_at) : '';
}

function cameFrom({ lead }: LeadPage, times: Times): string {
  const from = lead.source === 'Direct' ? 'Came directly' : `From ${lead.source}`;
  const landed = lead.landing_path ? `, landed on ${lead.landing_path}` : '';
  const campaign = lead.campaign ? `, campaign ${lead.campaign}` : '';
  return `${times.full(lead.created_at)}, on the ${lead.form} page. ${from}${landed}${campaign}`;
}

function Before({ page: { lead, before, subscriber } }: { page: LeadPage }) {
  const times = useTimes();
  const [showsProof, setShowsProof] = useState(false);
  if (before.length === 0 && !subscriber) return null;
  const said = [before.length > 0 && plural(before.length, 'message'), subscriber && 'subscriber'];
  return (
    <Part title="Before" says={said.filter(Boolean).join(', ')}>
      <Facts>
        {before.map((message) => (
          <Fact
            key={message.id}
            label={times.date(message.created_at)}
            end={<span className={prose.low}>{message.outcome}</span>}
          >
            <Link className={prose.link} href={paths.lead(message.id)} dir="auto">
              “{message.excerpt}”
            </Link>
          </Fact>
        ))}
        {subscriber && (
          <Fact
            label={times.date(subscriber.since)}
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
          subscriber={{ id: subscriber.id, email: lead.email }}
          onClose={() => setShowsProof(false)}
        />
      )}
    </Part>
  );
}
