import { memo, startTransition, use, useEffect, useMemo, useRef, useState } from 'react';
import { useSearch } from 'wouter/use-browser-location';
import { release, setState } from '../../actions/leads.ts';
import { useInbox, useOwner } from '../../api/queries.ts';
import type { Inbox, InboxView, LeadRow, LeadState } from '../../api/types.ts';
import { PageHead } from '../../frame/frame.tsx';
import { afterPaint, PageContext, useIsShown, useKeys, useNow } from '../../lib/page.ts';
import { isWaiting, otherWriter, type Urgency, urgency } from '../../lib/urgency.ts';
import { capital, hour, hoursAndMinutes, inWords, plural, timeWords } from '../../lib/words.ts';
import { go, lastPlace, paths } from '../../routes.ts';
import {
  Clock,
  LeadButton,
  leadCommand,
  leadRow,
  NoteDialog,
  stateKeys,
} from '../../sections/lead.tsx';
import { Button, ButtonLink, Chip, SearchField } from '../../ui/controls.tsx';
import { Empty } from '../../ui/parts.tsx';
import ui from '../../ui/ui.module.css';
import { DayLine } from './day-line.tsx';
import styles from './inbox.module.css';

export function InboxPage() {
  const isShown = useIsShown();
  const { view, q, searchFor } = useView();
  const now = useNow();
  const { zone } = useOwner().site;
  const waiting = useInbox('waiting').data?.pages;
  const inbox = useInbox(view, q);
  const leads = useMemo(() => inbox.data?.pages.flatMap((page) => page.leads) ?? [], [inbox.data]);
  const waitingLeads = useMemo(() => waiting?.flatMap((page) => page.leads) ?? [], [waiting]);
  const waitingPage = waiting?.[0];
  const shownPage = inbox.data?.pages[0];
  const { picked, pick, move } = usePicked(leads, isShown, view === 'waiting');
  const actions = useRowActions(leads, pick);
  const [noteOn, setNoteOn] = useState<LeadRow>();
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    enter: () => picked && go(paths.lead(picked.id)),
    r: () => picked && go(paths.reply(picked.id)),
    n: () => setNoteOn(picked),
    'shift+s': () => (picked?.held || picked?.state === 'spam') && actions.release(picked),
    ...stateKeys((state) => picked && actions.setState(picked, state)),
  });
  const head = { title: 'Inbox', command: shellCommand(view, q, picked) };
  if (!waitingPage || !shownPage) return <PageHead {...head} />;
  return (
    <>
      <PageHead {...head} summary={inboxSentence(waitingPage.counts, waitingLeads, now, zone)}>
        <SearchField
          placeholder="Name, address, message or note"
          q={q}
          search={searchFor}
          toResults={() => focusRow(leads[0])}
        />
        <span className={ui.wide}>
          <ButtonLink
            label="Export"
            variant="quiet"
            icon="download"
            href={`/api/desk/export.csv?${new URLSearchParams({ view, ...(q && { q }) })}`}
            download
            command={exportCommand(view, q)}
          />
        </span>
      </PageHead>
      {!q && <DayLine leads={waitingLeads} calls={waitingPage.calls} now={now} />}
      <ViewTabs counts={waitingPage.counts} view={view} />
      <LeadList
        {...{ leads, picked, actions, now }}
        view={shownPage.view}
        q={shownPage.q}
        inbox={waitingPage}
        more={inbox.hasNextPage ? inbox.fetchNextPage : undefined}
      />
      {noteOn && isShown && <NoteDialog lead={noteOn} onClose={() => setNoteOn(undefined)} />}
    </>
  );
}

/** The view and the search, which the address has. While another page is open, they stay as they were. */
function useView() {
  const { isOpen } = use(PageContext);
  const current = useSearch();
  const own = useRef(current);
  if (isOpen()) own.current = current;
  const search = own.current;
  const params = new URLSearchParams(search);
  const q = params.get('q') ?? '';
  const chosenView = (params.get('view') ?? 'waiting') as InboxView;
  // A search looks for leads in any state.
  const view = q && chosenView === 'waiting' ? 'all' : chosenView;
  useEffect(() => {
    lastPlace.address = paths.inbox + search;
  }, [search]);
  const searchFor = (q: string) => {
    if (q) params.set('q', q);
    else params.delete('q');
    go(paths.inbox + (params.size > 0 ? `?${params}` : ''), { replace: true });
  };
  return { view, q, searchFor };
}

/** The row that keys act on: the one that had the focus last, or the first. */
function usePicked(leads: LeadRow[], isShown: boolean, isByPromise: boolean) {
  const [id, pick] = useState<string>();
  const wasHidden = useRef(false);
  const picked = leads.find((lead) => lead.id === id) ?? leads[0];
  // Back from another page, the focus goes to the lead that was open last, or to the first waiting one if
  // that is done.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the page is shown and hidden.
  useEffect(() => {
    const first = leads[0];
    const last = leads.find((lead) => lead.id === lastPlace.lead) ?? picked;
    const isDone = isByPromise && first && isWaiting(first) && last && !isWaiting(last);
    if (isShown && wasHidden.current) focusRow(isDone ? first : last);
    wasHidden.current = !isShown;
  }, [isShown]);
  const move = (by: number) => picked && focusRow(leads[leads.indexOf(picked) + by] ?? picked);
  return { picked, pick, move };
}

const searchOption = (q: string) => `--search '${q.replaceAll("'", '')}'`;

function shellCommand(view: InboxView, q: string, picked: LeadRow | undefined): string {
  if (picked && view !== 'held') return `frontdoor leads show ${picked.short_id}`;
  if (q) return `frontdoor leads list ${searchOption(q)}`;
  if (view === 'held') return 'frontdoor leads list --held';
  if (view === 'waiting') return 'frontdoor leads due';
  return `frontdoor leads list${view === 'all' ? '' : ` --state ${view}`}`;
}

function exportCommand(view: InboxView, q: string): string {
  const state = view === 'waiting' ? 'new' : view;
  const filter = ['all', 'held', 'spam'].includes(view) ? `--${view}` : `--state ${state}`;
  return `frontdoor leads export ${filter}${q && ` ${searchOption(q)}`}`;
}

const views = ['waiting', 'answered', 'booked', 'closed', 'all', 'held', 'spam'] as const;

/** The server stops counting answered, booked, closed and spam leads at a thousand. */
function ViewTabs({ counts, view }: { counts: Inbox['counts']; view: InboxView }) {
  const tab = (each: InboxView) => (
    <a
      key={each}
      href={each === 'waiting' ? '/' : `/?view=${each}`}
      aria-current={each === view ? 'true' : undefined}
    >
      {capital(each)}
      {each !== 'all' && <span>{counts[each] < 1000 ? counts[each] : '999+'}</span>}
    </a>
  );
  return (
    <nav className={styles.tabs} aria-label="Which leads">
      {views.slice(0, 5).map(tab)}
      <i aria-hidden="true" />
      {views.slice(5).map(tab)}
    </nav>
  );
}

/** "Two are late, two are due by 14:05." */
export function inboxSentence(
  { late, due, waiting }: Pick<Inbox['counts'], 'late' | 'due' | 'waiting'>,
  leads: LeadRow[],
  now: number,
  zone: string,
): string {
  if (waiting === 0) return 'Nobody is waiting.';
  const are = (n: number, what: string) => `${inWords(n)} ${n === 1 ? 'is' : 'are'} ${what}`;
  const parts = late > 0 ? [are(late, 'late')] : [];
  // The server sends the oldest promise first.
  const last = leads.findLast((lead) => urgency(lead, now) === 'due')?.due_at;
  if (due > 0)
    parts.push(
      are(due, last ? `due by ${timeWords(Date.parse(last), now, zone).clock}` : 'due soon'),
    );
  if (parts.length === 0) parts.push(`${are(waiting, 'waiting')}, none is due soon`);
  return `${capital(parts.join(', '))}.`;
}

/** A row that gets the focus is picked. */
const focusRow = (lead: LeadRow | undefined) => lead && leadRow(lead.id)?.focus();

/** What can be done with a row; it stays the same object, so that rows need not render again. */
function useRowActions(leads: LeadRow[], pick: (id: string) => void) {
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

interface ListProps {
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
const LeadList = memo(({ view, q, leads, inbox, picked, actions, more, now }: ListProps) => {
  const { site, promise_hours } = useOwner();
  const isHeld = view === 'held' && !q;
  const isByPromise = view === 'waiting';
  const { late, due, waiting } = inbox.counts;
  const ofPromise = (kind: Urgency): Section => {
    const group = leads.filter((lead) => urgency(lead, now) === kind);
    // While not all leads are loaded, only the server knows how many there are.
    const counts = { late, due, waiting: waiting - late - due, done: group.length };
    return {
      key: kind,
      leads: group,
      title: kind === 'done' ? 'Done this week' : capital(kind),
      count: more ? counts[kind] : group.length,
      aside: kind === 'due' && `less than ${hoursAndMinutes((promise_hours * hour) / 6)} left`,
    };
  };
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
  const sections: Section[] = isByPromise
    ? (['late', 'due', 'waiting', 'done'] as const).map(ofPromise)
    : [whole];

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
        if (leads.length === 0) return null;
        const shown = leads.slice(0, remaining);
        remaining -= shown.length;
        return (
          <section key={key}>
            {title && (
              <header className={styles.group}>
                <h2 className={key === 'late' ? ui.late : undefined}>{title}</h2>
                {count !== undefined && <span>{count}</span>}
                {aside && <span className={ui.low}>{aside}</span>}
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

interface RowProps extends Pick<ListProps, 'q' | 'actions' | 'now'> {
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
          {lead.has_draft && <Chip label="Draft" icon="reply" />}
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

function highlighted(text: string, q: string) {
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
      {next && <p className={ui.aside}>Next: a call with {next.name}.</p>}
      {counts.held > 0 && <p className={ui.aside}>{held} held back for you to decide.</p>}
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
