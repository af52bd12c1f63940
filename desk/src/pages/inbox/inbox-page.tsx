import { useEffect, useMemo, useRef, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { release, setState } from '../../actions/leads.ts';
import { useOwner } from '../../api/owner.ts';
import { useInbox } from '../../api/queries.ts';
import type { InboxView, LeadRow, LeadState } from '../../api/types.ts';
import { useCommand } from '../../frame/foot-line.tsx';
import { PageHead } from '../../frame/page-head.tsx';
import { useNow } from '../../lib/clock.ts';
import { groupByPromise, inboxSentence } from '../../lib/groups.ts';
import { useKeys } from '../../lib/keyboard.ts';
import { paths } from '../../routes.ts';
import { NoteDialog } from '../../sections/note-dialog.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import prose from '../../ui/prose.module.css';
import { DayLine } from './day-line.tsx';
import { HeldLeads } from './held-leads.tsx';
import { lastPlace } from './last-place.ts';
import { LeadList } from './lead-list.tsx';
import { SearchField } from './search-field.tsx';
import { ViewTabs } from './view-tabs.tsx';

export function InboxPage() {
  const [params] = useSearchParams();
  const q = params.get('q') ?? '';
  const asked = (params.get('view') ?? 'waiting') as InboxView;
  // Who is looked for may be in any state.
  const view = q && asked === 'waiting' ? 'all' : asked;

  useEffect(() => {
    lastPlace.address = params.size > 0 ? `/?${params}` : '/';
  }, [params]);

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
  const first = waiting?.[0];
  const rows = view === 'waiting' ? groups.flatMap((group) => group.leads) : leads;
  const { picked, pick, move } = usePicked(rows);
  const [noteOn, setNoteOn] = useState<LeadRow>();
  const search = useRef<HTMLInputElement>(null);
  const [, go] = useLocation();

  /** The next one is picked at once: a morning goes from row to row. */
  const mark = (state: LeadState | 'not-spam', lead = picked) => {
    if (!lead) return;
    const at = rows.indexOf(lead);
    pick(rows[at + 1] ?? rows[at - 1]);
    void (state === 'not-spam' ? release(lead) : setState(lead, state));
  };
  useKeys({
    next: () => move(1),
    previous: () => move(-1),
    open: () => picked && go(paths.lead(picked.id)),
    reply: () => picked && go(paths.reply(picked.id)),
    answered: () => mark('answered'),
    booked: () => mark('booked'),
    closed: () => mark('closed'),
    spam: () => mark('spam'),
    'not-spam': () => (picked?.held || picked?.state === 'spam') && mark('not-spam'),
    note: () => setNoteOn(picked),
    search: () => search.current?.focus(),
    back: () => search.current?.blur(),
  });
  useCommand(shellCommand(view, q, picked));

  if (!first || !inbox.data) return <PageHead title="Inbox" />;
  const { counts } = first;
  const exporting = new URLSearchParams({ view, ...(q && { q }) });
  return (
    <>
      <PageHead title="Inbox" says={inboxSentence(counts, waitingGroups, zone)}>
        <SearchField ref={search} q={q} toList={() => pick(rows[0])} />
        <span className={prose.wide}>
          <ButtonLink
            look="bare"
            icon="download"
            href={`/api/desk/export.csv?${exporting}`}
            download
            command="frontdoor leads export"
          >
            Export
          </ButtonLink>
        </span>
      </PageHead>
      {!q && <DayLine groups={waitingGroups} calls={first.calls} now={now} />}
      <ViewTabs counts={counts} view={view} />
      {view === 'held' && !q ? (
        <HeldLeads
          leads={leads}
          picked={picked}
          pick={pick}
          decide={(lead, isSpam) => mark(isSpam ? 'spam' : 'not-spam', lead)}
        />
      ) : (
        <LeadList
          {...{ view, q, leads, groups, picked, pick, now }}
          inbox={first}
          more={inbox.hasNextPage ? () => void inbox.fetchNextPage() : undefined}
          open={(lead) => go(paths.lead(lead.id))}
          reply={() => picked && go(paths.reply(picked.id))}
          answer={() => mark('answered')}
        />
      )}
      {noteOn && <NoteDialog lead={noteOn} onClose={() => setNoteOn(undefined)} />}
    </>
  );
}

function usePicked(rows: LeadRow[]) {
  const [id, setId] = useState(lastPlace.picked);
  const focusNext = useRef(lastPlace.picked !== undefined);
  const picked = rows.find((row) => row.id === id) ?? rows[0];
  useEffect(() => {
    lastPlace.picked = picked?.id;
    if (!focusNext.current || !picked) return;
    focusNext.current = false;
    document.getElementById(`lead-${picked.id}`)?.focus();
  }, [picked]);
  const pick = (row: LeadRow | undefined, focus = true) => {
    if (!row) return;
    focusNext.current = focus;
    setId(row.id);
    if (focus && row.id === picked?.id) document.getElementById(`lead-${row.id}`)?.focus();
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
