import { useContext, useEffect, useMemo, useRef, useState } from 'react';
import { useSearch } from 'wouter/use-browser-location';
import { useInbox, useOwner } from '../../api/queries.ts';
import type { Inbox, InboxView, LeadRow } from '../../api/types.ts';
import { PageHead } from '../../frame/page-head.tsx';
import { groupByPromise, inboxSentence, isWaiting } from '../../lib/groups.ts';
import { useKeys } from '../../lib/keyboard.ts';
import { useNow } from '../../lib/server-time.ts';
import { PageContext, useIsShown } from '../../lib/shown.ts';
import { capital } from '../../lib/words.ts';
import { go, lastPlace, paths } from '../../routes.ts';
import { NoteDialog, stateKeys } from '../../sections/lead.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { SearchField } from '../../ui/field.tsx';
import prose from '../../ui/prose.module.css';
import { DayLine } from './day-line.tsx';
import styles from './inbox.module.css';
import { focusRow, LeadList, useRowActions } from './lead-list.tsx';

export function InboxPage() {
  const isShown = useIsShown();
  const { view, q, searchFor } = useView();
  const now = useNow();
  const { zone } = useOwner().site;
  const waiting = useInbox('waiting').data?.pages;
  const inbox = useInbox(view, q);
  const leads = useMemo(() => inbox.data?.pages.flatMap((page) => page.leads) ?? [], [inbox.data]);
  const waitingGroups = useMemo(
    () => groupByPromise(waiting?.flatMap((page) => page.leads) ?? [], now),
    [waiting, now],
  );
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
    escape: q ? () => searchFor('') : undefined,
    ...stateKeys((state) => picked && actions.setState(picked, state)),
  });
  const head = { title: 'Inbox', command: shellCommand(view, q, picked) };
  if (!waitingPage || !shownPage) return <PageHead {...head} />;
  return (
    <>
      <PageHead {...head} summary={inboxSentence(waitingPage.counts, waitingGroups, zone)}>
        <SearchField
          placeholder="Name, address, message or note"
          q={q}
          search={searchFor}
          toResults={() => focusRow(leads[0])}
        />
        <span className={prose.wide}>
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
      {!q && <DayLine groups={waitingGroups} calls={waitingPage.calls} now={now} />}
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
  const { isOpen } = useContext(PageContext);
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
const counted = (n: number) => (n < 1000 ? n : '999+');

function ViewTabs({ counts, view }: { counts: Inbox['counts']; view: InboxView }) {
  const tab = (each: InboxView) => (
    <a
      key={each}
      href={each === 'waiting' ? '/' : `/?view=${each}`}
      aria-current={each === view ? 'true' : undefined}
    >
      {capital(each)}
      {each !== 'all' && <span>{counted(counts[each])}</span>}
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
