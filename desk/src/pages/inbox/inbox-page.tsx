import { type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { release, setState } from '../../actions/leads.ts';
import { useOwner } from '../../api/owner.ts';
import { useInbox } from '../../api/queries.ts';
import type { Inbox, InboxView, LeadRow, LeadState } from '../../api/types.ts';
import { useCommand } from '../../frame/foot-line.tsx';
import { PageHead } from '../../frame/page-head.tsx';
import { groupByPromise, inboxSentence } from '../../lib/groups.ts';
import { useKeys } from '../../lib/keyboard.ts';
import { useNow } from '../../lib/server-time.ts';
import { useIsShown } from '../../lib/shown.ts';
import { lastPlace, paths } from '../../routes.ts';
import { NoteDialog } from '../../sections/note-dialog.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { SearchField } from '../../ui/field.tsx';
import prose from '../../ui/prose.module.css';
import { DayLine } from './day-line.tsx';
import styles from './inbox.module.css';
import { LeadList, type RowActions } from './lead-list.tsx';

export function InboxPage() {
  const isShown = useIsShown();
  const { view, q, searchFor } = useView(isShown);
  const now = useNow();
  const { zone } = useOwner().site;
  const waiting = useInbox('waiting').data?.pages;
  const inbox = useInbox(view, q);
  const leads = useMemo(() => inbox.data?.pages.flatMap((page) => page.leads) ?? [], [inbox.data]);
  const groups = useMemo(() => groupByPromise(leads, now), [leads, now]);
  const waitingGroups = useMemo(
    () => groupByPromise(waiting?.flatMap((page) => page.leads) ?? [], now),
    [waiting, now],
  );
  const waitingPage = waiting?.[0];
  const shownPage = inbox.data?.pages[0];
  const rows = shownPage?.view === 'waiting' ? groups.flatMap((group) => group.leads) : leads;
  const { picked, pick, move } = usePicked(rows, isShown);
  const actions = useRowActions(rows, pick);
  const [noteOn, setNoteOn] = useState<LeadRow>();
  const search = useRef<HTMLInputElement>(null);
  useInboxKeys({ picked, move, actions, addNote: () => setNoteOn(picked), search });
  useCommand(shellCommand(view, q, picked));

  if (!waitingPage || !shownPage) return <PageHead title="Inbox" />;
  return (
    <>
      <PageHead title="Inbox" summary={inboxSentence(waitingPage.counts, waitingGroups, zone)}>
        <SearchField
          ref={search}
          placeholder="Name, address, message or note"
          q={q}
          search={searchFor}
          toResults={() => pick(rows[0])}
        />
        <span className={prose.wide}>
          <ButtonLink
            variant="quiet"
            icon="download"
            href={`/api/desk/export.csv?${new URLSearchParams({ view, ...(q && { q }) })}`}
            download
            command={exportCommand(view, q)}
          >
            Export
          </ButtonLink>
        </span>
      </PageHead>
      {!q && <DayLine groups={waitingGroups} calls={waitingPage.calls} now={now} />}
      <ViewTabs counts={waitingPage.counts} view={view} />
      <LeadList
        // Another list is painted from its beginning.
        key={`${shownPage.view} ${shownPage.q}`}
        {...{ leads, groups, picked, actions, now }}
        view={shownPage.view}
        q={shownPage.q}
        inbox={waitingPage}
        more={inbox.hasNextPage ? () => void inbox.fetchNextPage() : undefined}
      />
      {noteOn && isShown && <NoteDialog lead={noteOn} onClose={() => setNoteOn(undefined)} />}
    </>
  );
}

/** The view and the search, which the address has. While another page is shown, they stay as they were. */
function useView(isShown: boolean) {
  const [current, setParams] = useSearchParams();
  const own = useRef(current);
  if (isShown) own.current = current;
  const params = own.current;
  const q = params.get('q') ?? '';
  const chosenView = (params.get('view') ?? 'waiting') as InboxView;
  // A search looks for leads in any state.
  const view = q && chosenView === 'waiting' ? 'all' : chosenView;
  useEffect(() => {
    lastPlace.address = params.size > 0 ? `/?${params}` : '/';
  }, [params]);
  const searchFor = (q: string) =>
    setParams(
      (params) => {
        if (q) params.set('q', q);
        else params.delete('q');
        return params;
      },
      { replace: true },
    );
  return { view, q, searchFor };
}

function useRowActions(rows: LeadRow[], pick: (row: LeadRow | undefined, focus?: boolean) => void) {
  const [, go] = useLocation();
  /** Picks the next row before the lead changes, so that the owner can go on from there. */
  const changeLead = (lead: LeadRow, change: (lead: LeadRow) => unknown) => {
    const at = rows.indexOf(lead);
    pick(rows[at + 1] ?? rows[at - 1]);
    void change(lead);
  };
  const latest = useRef({ pick, changeLead });
  latest.current = { pick, changeLead };
  const [actions] = useState<RowActions>(() => ({
    pick: (lead, focus) => latest.current.pick(lead, focus),
    open: (lead) => go(paths.lead(lead.id)),
    reply: (lead) => go(paths.reply(lead.id)),
    setState: (lead, state) => latest.current.changeLead(lead, (each) => setState(each, state)),
    release: (lead) => latest.current.changeLead(lead, release),
  }));
  return actions;
}

interface InboxKeys {
  picked: LeadRow | undefined;
  move: (by: number) => void;
  actions: RowActions;
  addNote: () => void;
  search: RefObject<HTMLInputElement | null>;
}

function useInboxKeys({ picked, move, actions, addNote, search }: InboxKeys): void {
  const setPickedState = (state: LeadState) => () => picked && actions.setState(picked, state);
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    enter: () => picked && actions.open(picked),
    r: () => picked && actions.reply(picked),
    a: setPickedState('answered'),
    b: setPickedState('booked'),
    c: setPickedState('closed'),
    s: setPickedState('spam'),
    'shift+s': () => (picked?.held || picked?.state === 'spam') && actions.release(picked),
    n: addNote,
    '/': () => search.current?.focus(),
    escape: () => search.current?.blur(),
  });
}

/** The row that keys act on: the one picked last, or the first. */
function usePicked(rows: LeadRow[], isShown: boolean) {
  const [id, setId] = useState<string>();
  const focusNext = useRef(false);
  const wasHidden = useRef(false);
  const picked = rows.find((row) => row.id === id) ?? rows[0];
  const focus = (row: LeadRow) => document.getElementById(`lead-${row.id}`)?.focus();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another row is another effect.
  useEffect(() => {
    if (!focusNext.current || !picked) return;
    focusNext.current = false;
    focus(picked);
  }, [picked]);
  // Back from another page, the focus goes to the row that it left. In the next frame: focusing now
  // would lay the page out twice.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the page is shown and hidden.
  useEffect(() => {
    if (isShown && wasHidden.current) requestAnimationFrame(() => picked && focus(picked));
    wasHidden.current = !isShown;
  }, [isShown]);
  const pick = (row: LeadRow | undefined, takesFocus = true) => {
    if (!row) return;
    focusNext.current = takesFocus;
    setId(row.id);
    if (takesFocus && row.id === picked?.id) focus(row);
  };
  const move = (by: number) => {
    const at = picked ? rows.indexOf(picked) : -1;
    pick(rows[Math.min(rows.length - 1, Math.max(0, at + by))]);
  };
  return { picked, pick, move };
}

function shellCommand(view: InboxView, q: string, picked: LeadRow | undefined): string {
  if (picked && view !== 'held') return `frontdoor leads show ${picked.short_id}`;
  if (q) return `frontdoor leads list --search '${q.replaceAll("'", '')}'`;
  if (view === 'held') return 'frontdoor leads list --held';
  return view === 'waiting' ? 'frontdoor leads due' : 'frontdoor leads list';
}

const exportFilters: Record<InboxView, string> = {
  waiting: ' --state new',
  answered: ' --state answered',
  booked: ' --state booked',
  closed: ' --state closed',
  all: ' --all',
  held: ' --held',
  spam: ' --spam',
};

function exportCommand(view: InboxView, q: string): string {
  const search = q && ` --search '${q.replaceAll("'", '')}'`;
  return `frontdoor leads export${exportFilters[view]}${search}`;
}

const views: { view: InboxView; label: string }[] = [
  { view: 'waiting', label: 'Waiting' },
  { view: 'answered', label: 'Answered' },
  { view: 'booked', label: 'Booked' },
  { view: 'closed', label: 'Closed' },
  { view: 'all', label: 'All' },
];
const secondaryViews: typeof views = [
  { view: 'held', label: 'Held' },
  { view: 'spam', label: 'Spam' },
];

/** The server stops counting answered, booked, closed and spam leads at a thousand. */
const counted = (n: number) => (n < 1000 ? n : '999+');

const isPhone = matchMedia('(max-width: 56.24em)');

function ViewTabs({ counts, view }: { counts: Inbox['counts']; view: InboxView }) {
  const tabs = useRef<HTMLElement>(null);
  // On a phone the tabs are wider than the screen: scrolls the current one into the middle.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each view has its own tab.
  useEffect(() => {
    const current = tabs.current?.querySelector<HTMLElement>('[aria-current]');
    if (tabs.current && current && isPhone.matches)
      tabs.current.scrollLeft =
        current.offsetLeft - (tabs.current.clientWidth - current.offsetWidth) / 2;
  }, [view]);
  const tab = (each: (typeof views)[number]) => (
    <Link
      key={each.view}
      href={each.view === 'waiting' ? '/' : `/?view=${each.view}`}
      aria-current={each.view === view ? 'true' : undefined}
    >
      {each.label}
      {each.view !== 'all' && <span>{counted(counts[each.view])}</span>}
    </Link>
  );
  return (
    <nav ref={tabs} className={styles.tabs} aria-label="Which leads">
      {views.map(tab)}
      <i aria-hidden="true" />
      {secondaryViews.map(tab)}
    </nav>
  );
}
