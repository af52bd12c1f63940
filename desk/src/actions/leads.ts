/** What the owner does with leads: shown at once, taken back in a sentence where the server does not agree. */

import { asProblem, post } from '../api/client.ts';
import { type InboxPages, queries, refresh } from '../api/queries.ts';
import type { Done, Inbox, LeadPage, LeadRow, LeadState } from '../api/types.ts';
import { isWaiting } from '../lib/groups.ts';
import { firstName } from '../lib/words.ts';
import { offerUndo, tell, tellFailure } from './toasts.ts';

const stillIs: Record<LeadState, string> = {
  new: 'is still waiting',
  answered: 'is still answered',
  booked: 'is still booked',
  closed: 'is still closed',
  spam: 'is still spam',
};

const path = (lead: { id: string }, what: string) => `leads/${lead.id}/${what}`;

/** Answers the next waiting lead, or nothing where the change was refused. */
export async function setState(
  lead: LeadRow,
  state: LeadState,
  announce = (done: Done) => done.said,
): Promise<Done | undefined> {
  if (lead.state === state && !lead.held) return undefined;
  return change(
    lead,
    { state, held: false },
    () => post<Done>(path(lead, 'state'), { state, from: lead.state }),
    `${lead.name} ${stillIs[lead.state]}.`,
    () => void setState(lead, state),
    announce,
  );
}

/** Not spam: what was held back goes out, and the promise begins. */
export const release = (lead: LeadRow): Promise<Done | undefined> =>
  change(
    lead,
    { state: 'new', held: false },
    () => post<Done>(path(lead, 'release')),
    `${lead.name} is still ${lead.held ? 'held' : 'spam'}.`,
    () => void release(lead),
  );

export const keepNote = (lead: LeadRow, note: string): Promise<Done | undefined> =>
  change(
    lead,
    { note: note || null },
    () => post<Done>(path(lead, 'note'), { note }),
    'The note is as it was.',
    () => void keepNote(lead, note),
  );

async function change(
  lead: LeadRow,
  change: Partial<LeadRow>,
  send: () => Promise<Done>,
  holds: string,
  again: () => void,
  announce = (done: Done) => done.said,
): Promise<Done | undefined> {
  await queries.cancelQueries({ queryKey: ['inbox'] });
  const takeBack = showAtOnce(lead, change);
  try {
    const done = await send();
    const { undo } = done;
    if (undo) {
      const reverse = async () => (await post('undo', undo)).said;
      offerUndo({ said: announce(done), verb: 'Undo', reverse });
    } else tell(announce(done));
    return done;
  } catch (error) {
    takeBack();
    tellFailure(error, holds, asProblem(error).unanswered ? again : undefined);
    return undefined;
  } finally {
    refresh('inbox', 'lead');
  }
}

/** Changes the lead wherever it is shown; answers what brings the old picture back. */
function showAtOnce(lead: LeadRow, change: Partial<LeadRow>): () => void {
  const before = [
    ...queries.getQueriesData({ queryKey: ['inbox'] }),
    ...queries.getQueriesData({ queryKey: ['lead', lead.id] }),
  ];
  queries.setQueriesData<InboxPages>({ queryKey: ['inbox'] }, (pages) =>
    pages ? { ...pages, pages: pages.pages.map((page) => inInbox(page, lead, change)) } : pages,
  );
  queries.setQueryData<LeadPage>(['lead', lead.id], (page) =>
    page ? { ...page, lead: { ...page.lead, ...change } } : page,
  );
  return () => {
    for (const [key, data] of before) queries.setQueryData(key, data);
  };
}

function inInbox(inbox: Inbox, lead: LeadRow, change: Partial<LeadRow>): Inbox {
  const after = { ...lead, ...change };
  const left = Number(isWaiting(lead)) - Number(isWaiting(after));
  const counts = { ...inbox.counts, waiting: inbox.counts.waiting - left };
  const leads = inbox.leads.map((row) => (row.id === lead.id ? { ...row, ...change } : row));
  return { ...inbox, counts, leads };
}

export interface ReplyText {
  text: string;
  booking: boolean;
  quote: boolean;
}

/** Answers whether it is on its way. */
export async function sendReply(lead: LeadRow, reply: ReplyText): Promise<boolean> {
  try {
    const { id, leaves_at } = await post<{ id: string; leaves_at: string; said: string }>(
      path(lead, 'reply'),
      reply,
    );
    queries.setQueryData<LeadPage>(['lead', lead.id], (page) =>
      page ? { ...page, reply: { ...page.reply, leaving: { id, leaves_at } } } : page,
    );
    offerCallBack(lead, { id, leaves_at });
    return true;
  } catch (error) {
    tellFailure(error, 'Your text is kept.');
    return false;
  } finally {
    refresh('inbox', 'lead');
  }
}

export function offerCallBack(lead: LeadRow, leaving: { id: string; leaves_at: string }): void {
  offerUndo({
    said: `Your reply to ${firstName(lead.name)} leaves in`,
    key: leaving.id,
    verb: 'Call it back',
    until: Date.parse(leaving.leaves_at),
    reverse: async () => {
      await post(`replies/${leaving.id}/call-back`);
      queries.setQueryData<LeadPage>(['lead', lead.id], (page) =>
        page ? { ...page, reply: { ...page.reply, leaving: null } } : page,
      );
      return `Your reply to ${firstName(lead.name)} is called back. Nothing has left.`;
    },
  });
}

/** For what has nothing to undo: says what the server said, and asks anew for what it concerns. */
export async function act(send: () => Promise<{ said: string }>, ...concerns: string[]) {
  try {
    tell((await send()).said);
    return true;
  } catch (error) {
    tellFailure(error);
    return false;
  } finally {
    refresh(...concerns);
  }
}
