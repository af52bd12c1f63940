import { memo, type ReactNode, startTransition, useEffect, useMemo, useRef, useState } from 'react';
import { release, setState } from '../../actions/leads.ts';
import { useOwner } from '../../api/queries.ts';
import type { Inbox, InboxView, LeadRow, LeadState } from '../../api/types.ts';
import type { Group, Urgency } from '../../lib/groups.ts';
import { groupByPromise, isWaiting, otherWriter } from '../../lib/groups.ts';
import { afterPaint } from '../../lib/shown.ts';
import { capital, hour, hoursAndMinutes, inWords, plural, timeWords } from '../../lib/words.ts';
import { go, paths } from '../../routes.ts';
import { Clock, LeadButton, leadCommand, leadRow } from '../../sections/lead.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Chip } from '../../ui/icon.tsx';
import prose from '../../ui/prose.module.css';
import styles from './inbox.module.css';

/** A row that gets the focus is picked. */
export const focusRow = (lead: LeadRow | undefined) => lead && leadRow(lead.id)?.focus();

/** What can be done with a row; it stays the same object, so that rows need not render again. */
export function useRowActions(leads: LeadRow[], pick: (id: string) => void) {
  const latest = useRef(leads);
  latest.current = leads;
  return useMemo(() => {
    /** The next row gets the focus before the lead changes, so that the owner can go on from there. */
    const change = (lead: LeadRow, how: (lead: LeadRow) => unknown) => {
      const leads = latest.current;
      const at = leads.indexOf(lead);
      focusRow(leads[at + 1] ?? leads[at - 1]);
      void how(lead);
    };
    return {
      focused: (lead: LeadRow) => pick(lead.id),
      setState: (lead: LeadRow, state: LeadState) => change(lead, () => setState(lead, state)),
      release: (lead: LeadRow) => change(lead, release),
    };
  }, [pick]);
}

interface Props {
  view: InboxView;
  q: string;
  leads: LeadRow[];
  inbox: Inbox;
  picked: LeadRow | undefined;
  actions: ReturnType<typeof useRowActions>;
  more: (() => unknown) | undefined;
  now: number;
}

/** As many rows as most screens have. */
const inSight = 20;

interface Section {
  key: string;
  leads: LeadRow[];
  title?: string;
  count?: number;
  aside?: string | false;
}

/** A search renders the page at each key, but the list only once there are other leads. */
export const LeadList = memo(({ view, q, leads, inbox, picked, actions, more, now }: Props) => {
  const { site, promise_hours } = useOwner();
  const groups = useMemo(() => groupByPromise(leads, now), [leads, now]);
  const isHeld = view === 'held' && !q;
  const isByPromise = view === 'waiting';
  const byPromise = ({ urgency, leads }: Group): Section => ({
    key: urgency,
    leads,
    title: urgency === 'done' ? 'Done this week' : capital(urgency),
    count: more ? counted(inbox, urgency, leads) : leads.length,
    aside: urgency === 'due' && `less than ${hoursAndMinutes((promise_hours * hour) / 6)} left`,
  });
  const found = {
    title: `${more ? `The newest ${leads.length} leads` : plural(leads.length, 'lead')} with “${q}”`,
    aside: view === 'all' && 'in all states, newest first',
  };
  const held = {
    title: 'Held back for you to decide',
    count: leads.length,
    aside: 'The senders saw the usual thank-you and get no mail.',
  };
  const whole = { key: view, leads, ...(q && found), ...(isHeld && held) };
  const sections: Section[] = isByPromise ? groups.map(byPromise) : leads.length ? [whole] : [];

  // First the visible rows and all rows above the picked one, which gets the focus; then the rest.
  const first = Math.max(inSight, leads.findIndex((lead) => lead.id === picked?.id) + 1);
  let remaining = useIsPainted(`${view} ${q}`) ? leads.length : first;
  const row = (lead: LeadRow) => {
    const shown = {
      lead,
      actions,
      isPicked: lead.id === picked?.id,
      came: timeWords(Date.parse(lead.created_at), now, site.zone).short,
    };
    if (isHeld) return <HeldRow key={lead.id} {...shown} />;
    const writer = otherWriter(inbox, lead);
    // Rows of what is done do not change with the time.
    const time = isWaiting(lead) ? now : 0;
    return <Row key={lead.id} {...shown} q={q} writing={writer?.name} now={time} />;
  };
  return (
    <div>
      {isByPromise && !leads.some(isWaiting) && <NobodyWaits inbox={inbox} />}
      {!isByPromise && leads.length === 0 && <Nothing view={view} q={q} />}
      {sections.map(({ key, leads, title, count, aside }) => {
        const shown = leads.slice(0, remaining);
        remaining -= shown.length;
        return (
          <section key={key}>
            {title && (
              <header className={styles.group}>
                <h2 className={key === 'late' ? prose.late : undefined}>{title}</h2>
                {count !== undefined && <span>{count}</span>}
                {aside && <span className={prose.low}>{aside}</span>}
              </header>
            )}
            <ul>{shown.map(row)}</ul>
          </section>
        );
      })}
      {isHeld && leads.length > 0 && (
        <p className={styles.foot}>
          “Not spam” lets the notification, the thank-you mail and the webhook go out, and the{' '}
          {promise_hours} hours begin then. What you decide teaches the score.
        </p>
      )}
      {more && (
        <p className={styles.more}>
          <Button label="Show more" onClick={() => more()} />
        </p>
      )}
    </div>
  );
});

/** False for the first paint of a list, so that it has little to do. */
function useIsPainted(list: string): boolean {
  const [painted, setPainted] = useState<string>();
  useEffect(() => {
    afterPaint(() => startTransition(() => setPainted(list)));
  }, [list]);
  return painted === list;
}

/** While not all leads are loaded, only the server knows how many there are. */
function counted({ counts }: Inbox, urgency: Urgency, loaded: LeadRow[]): number {
  const { late, due, waiting } = counts;
  return { late, due, waiting: waiting - late - due, done: loaded.length }[urgency];
}

interface RowProps extends Pick<Props, 'q' | 'actions' | 'now'> {
  lead: LeadRow;
  isPicked: boolean;
  /** The name of somebody else who writes to the lead. */
  writing: string | undefined;
  came: string;
}

const Row = memo(({ lead, q, isPicked, actions, writing, came, now }: RowProps) => {
  const isOpen = isWaiting(lead);
  const isNew = isOpen && !lead.seen;
  const answered = () => actions.setState(lead, 'answered');
  return (
    <li className={styles.row} data-picked={isPicked} data-open={isOpen}>
      <a
        id={`lead-${lead.id}`}
        className={styles.line}
        href={paths.lead(lead.id)}
        aria-description={isNew ? 'new' : undefined}
        data-command={leadCommand('show', lead)}
        onFocus={() => actions.focused(lead)}
      >
        <Clock lead={lead} now={now} />
        <span className={styles.name} data-fresh={isNew} dir="auto">
          {lead.name}
        </span>
        <span className={styles.words} dir="auto">
          {writing && <Chip label={`${writing} is writing`} icon="pen" present />}
          {lead.note && <Chip label={lead.note} icon="pen" />}
          {!q && lead.outcome && `${lead.outcome} · `}
          {highlighted(lead.excerpt, q)}
        </span>
        <span className={styles.from}>{lead.source}</span>
        <time className={styles.came} dateTime={lead.created_at}>
          {came}
        </time>
      </a>
      {isPicked && isOpen && (
        <span className={styles.quick}>
          <LeadButton small lead={lead} action="reply" onClick={() => go(paths.reply(lead.id))} />
          <LeadButton small lead={lead} action="answered" onClick={answered} />
        </span>
      )}
    </li>
  );
});

function highlighted(text: string, q: string): ReactNode {
  const words = q.split(/\s+/).filter(Boolean);
  if (words.length === 0) return text;
  const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  return text.split(new RegExp(`(${pattern})`, 'i')).map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text keep their order.
    index % 2 === 1 ? <mark key={index}>{part}</mark> : part,
  );
}

/** The reason first, the words beneath. */
function HeldRow({ lead, isPicked, actions, came }: Omit<RowProps, 'q' | 'writing' | 'now'>) {
  const spam = () => actions.setState(lead, 'spam');
  return (
    <li className={styles.heldRow} data-picked={isPicked}>
      <p className={styles.who}>
        <a
          id={`lead-${lead.id}`}
          className={styles.heldName}
          href={paths.lead(lead.id)}
          dir="auto"
          onFocus={() => actions.focused(lead)}
        >
          {lead.name}
        </a>
        <time className={styles.came} dateTime={lead.created_at}>
          {came}
        </time>
      </p>
      <p className={styles.why}>
        {lead.hold_reason ?? 'It looks like spam.'}
        <q dir="auto">{lead.excerpt}</q>
      </p>
      <p className={styles.decide}>
        <LeadButton small lead={lead} action="notSpam" onClick={() => actions.release(lead)} />
        <LeadButton small lead={lead} action="spam" onClick={spam} />
      </p>
    </li>
  );
}

function NobodyWaits({ inbox: { counts, calls, now } }: { inbox: Inbox }) {
  const next = calls.find(({ at }) => at > now);
  const held = `${capital(inWords(counts.held))} ${counts.held === 1 ? 'is' : 'are'}`;
  const isNew = counts.all === 0 && counts.held === 0;
  return (
    <Empty
      title={isNew ? 'Nobody has written yet' : 'Everybody has an answer'}
      next="New leads appear here by themselves, and you get a mail."
      drawing={isNew ? 'nothing' : 'done'}
    >
      {next && <p className={prose.aside}>Next: a call with {next.name}.</p>}
      {counts.held > 0 && <p className={prose.aside}>{held} held back for you to decide.</p>}
    </Empty>
  );
}

const nothing: Partial<Record<InboxView, [title: string, next: string]>> = {
  answered: ['Nobody is marked as answered', 'Leads you have answered appear here.'],
  booked: ['No call is booked', 'Leads with a booked call appear here.'],
  closed: ['Nothing is closed', 'Close a lead when there is nothing left to do.'],
  held: [
    'Nothing is held back',
    'Messages that look like spam wait here for you to decide. Nobody is notified of them.',
  ],
  spam: ['No spam', 'Messages you mark as spam appear here. Nobody is notified of them.'],
};

function Nothing({ view, q }: { view: InboxView; q: string }) {
  const [title, next] = q
    ? [
        `Nothing matches “${q}”`,
        'Names, addresses, phone numbers, messages and notes were searched.',
      ]
    : (nothing[view] ?? ['Nobody has written yet', 'The first lead appears here by itself.']);
  return <Empty title={title} next={next} drawing={view === 'held' && !q ? 'done' : 'nothing'} />;
}
