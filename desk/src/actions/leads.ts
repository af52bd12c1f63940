/** What the owner does with leads: shown at once, taken back in a sentence where the server does not agree. */

import { asProblem, post } from '../api/client.ts';
import { type InboxPage, type InboxPages, queries, refresh } from '../api/queries.ts';
import type { Done, LeadPage, LeadRow, LeadState } from '../api/types.ts';
import { isWaiting } from '../lib/groups.ts';
import { firstName } from '../lib/words.ts';
import { offerUndo, tell, tellFailure } from './toasts.ts';

const path = (lead: { id: string }, what: string) => `leads/${lead.id}/${what}`;

const asItWas = ({ name, state, held }: LeadRow) =>
  `${name} is still ${held ? 'held' : state === 'new' ? 'waiting' : state}.`;

/** Answers the next waiting lead, or nothing where the change was refused. */
export async function setState(
  lead: LeadRow,
  state: LeadState,
  announce?: (done: Done) => string,
): Promise<Done | undefined> {
  if (lead.state === state && !lead.held) return undefined;
  const send = () => post<Done>(path(lead, 'state'), { state, from: lead.state });
  return change(lead, { state, held: false }, send, asItWas(lead), announce);
}

/** Not spam: what was held back goes out, and the promise begins. */
export const release = (lead: LeadRow) =>
  change(lead, { state: 'new', held: false }, () => post(path(lead, 'release')), asItWas(lead));

export const keepNote = (lead: LeadRow, note: string) =>
  change(
    lead,
    { note: note || null },
    () => post(path(lead, 'note'), { note }),
    'The note is as it was.',
  );

async function change(
  lead: LeadRow,
  after: Partial<LeadRow>,
  send: () => Promise<Done>,
  holds: string,
  announce = (done: Done) => done.said,
): Promise<Done | undefined> {
  await queries.cancelQueries({ queryKey: ['inbox'] });
  const takeBack = showAtOnce(lead, after);
  try {
    const done = await send();
    const { undo } = done;
    if (undo) {
      const reverse = async () => {
        const { said } = await post('undo', undo);
        showAtOnce({ ...lead, ...after }, lead);
        return said;
      };
      offerUndo({ said: announce(done), reverse });
    } else tell(announce(done));
    return done;
  } catch (error) {
    takeBack();
    // A refusal says itself what holds by now.
    if (!asProblem(error).unanswered) tellFailure(error);
    else tellFailure(error, holds, () => void change(lead, after, send, holds));
    return undefined;
  } finally {
    refresh('inbox', 'lead');
  }
}

/** Changes the lead wherever it is shown; answers what brings the old picture back. */
function showAtOnce(lead: LeadRow, changed: Partial<LeadRow>): () => void {
  const before = [
    ...queries.getQueriesData({ queryKey: ['inbox'] }),
    ...queries.getQueriesData({ queryKey: ['lead', lead.id] }),
  ];
  const left = Number(isWaiting(lead)) - Number(isWaiting({ ...lead, ...changed }));
  const inInbox = (inbox: InboxPage): InboxPage => ({
    ...inbox,
    counts: { ...inbox.counts, waiting: inbox.counts.waiting - left },
    leads: inbox.leads.map((row) => (row.id === lead.id ? { ...row, ...changed } : row)),
  });
  queries.setQueriesData<InboxPages>(
    { queryKey: ['inbox'] },
    (pages) => pages && { ...pages, pages: pages.pages.map(inInbox) },
  );
  setLead(lead, (page) => ({ ...page, lead: { ...page.lead, ...changed } }));
  return () => {
    for (const [key, data] of before) queries.setQueryData(key, data);
  };
}

const setLead = ({ id }: LeadRow, to: (page: LeadPage) => LeadPage) =>
  queries.setQueryData<LeadPage>(['lead', id], (page) => page && to(page));

type Leaving = LeadPage['reply']['leaving'];

const setLeaving = (lead: LeadRow, leaving: Leaving) =>
  setLead(lead, (page) => ({ ...page, reply: { ...page.reply, leaving } }));

/** Answers whether it is on its way. */
export async function sendReply(
  lead: LeadRow,
  reply: { text: string; booking: boolean; quote: boolean },
): Promise<boolean> {
  try {
    const leaving = await post<NonNullable<Leaving>>(path(lead, 'reply'), reply);
    setLeaving(lead, leaving);
    offerCallBack(lead, leaving);
    return true;
  } catch (error) {
    tellFailure(error, 'Your text is kept.');
    return false;
  } finally {
    refresh('inbox', 'lead');
  }
}

export function offerCallBack(lead: LeadRow, leaving: NonNullable<Leaving>): void {
  const reply = `Your reply to ${firstName(lead.name)}`;
  offerUndo({
    said: `${reply} leaves in`,
    key: leaving.id,
    verb: 'Call it back',
    until: Date.parse(leaving.leaves_at),
    reverse: async () => {
      await post(`replies/${leaving.id}/call-back`);
      setLeaving(lead, null);
      return `${reply} is called back. Nothing has left.`;
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
