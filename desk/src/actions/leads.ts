/** The owner's actions on leads: shown at once, and reverted with a message if the server refuses. */

import { get, type InboxPages, post, queries, refresh, setCached, tell } from '../api/queries.ts';
import type { Done, LeadPage, LeadRow, LeadState, LeavingReply } from '../api/types.ts';
import { firstName } from '../lib/words.ts';
import { go, lastPlace } from '../routes.ts';
import { type LookUp, notify, notifyFailure, offerUndo, undoWaitsFor } from './toasts.ts';

/** Returns the next waiting lead with what was done, or nothing if the change was refused. */
export const setState = (lead: LeadRow, state: LeadState, announce?: (done: Done) => string) =>
  undoWaitsFor(
    change(lead, { state, held: false }, 'state', { state, from: lead.state }, announce),
  );

/** Not spam: the held deliveries go out, and the promise starts. */
export const release = (lead: LeadRow) =>
  undoWaitsFor(change(lead, { state: 'new', held: false }, 'release'));

/** `from` is the note that the owner saw: another browser may have changed it since. */
export const saveNote = (lead: LeadRow, note: string, from: string) =>
  undoWaitsFor(change(lead, { note: note || null }, 'note', { note, from }));

async function change(
  lead: LeadRow,
  after: Partial<LeadRow>,
  what: 'state' | 'release' | 'note',
  body?: object,
  announce = (done: Done) => done.message,
): Promise<Done | undefined> {
  await queries.cancelQueries({ queryKey: ['inbox'] });
  const revert = updateOptimistically(lead, after);
  try {
    const done = await post<Done>(`leads/${lead.id}/${what}`, body);
    const { undo } = done;
    const message = announce(done);
    const reverse = async () => {
      const undone = await post('undo', undo);
      updateOptimistically(lead, lead);
      return undone;
    };
    const before = Object.keys(after).map((name) => [name, lead[name as keyof LeadRow]]);
    if (undo) offerUndo({ message, reverse, lookUp: lookUp(lead, Object.fromEntries(before)) });
    else notify(message);
    return done;
  } catch (error) {
    revert();
    const tryAgain = () => void change(lead, after, what, body);
    void notifyFailure(error, lookUp(lead, after), tryAgain);
    return undefined;
  } finally {
    refresh('inbox', 'lead');
  }
}

/** Whether the lead has become what it should. */
const lookUp =
  ({ id }: LeadRow, wanted: Partial<LeadRow>): LookUp =>
  async () => {
    const { lead } = await get<LeadPage>(`leads/${id}`);
    const { name, state, held, note } = { ...lead, ...wanted };
    const isDone = state === lead.state && held === lead.held && note === lead.note;
    const words = lead.held ? 'held' : lead.state === 'new' ? 'waiting' : lead.state;
    const noted = lead.note ? `The note on ${name} is “${lead.note}”` : `${name} has no note`;
    return { isDone, message: 'note' in wanted ? `${noted}.` : `${name} is ${words}.` };
  };

/** Changes the lead wherever it is shown; returns a function that reverts this. */
function updateOptimistically(lead: LeadRow, changed: Partial<LeadRow>): () => void {
  const before = [
    ...queries.getQueriesData({ queryKey: ['inbox'] }),
    ...queries.getQueriesData({ queryKey: ['lead', lead.id] }),
  ];
  const update = (row: LeadRow) => (row.id === lead.id ? { ...row, ...changed } : row);
  queries.setQueriesData<InboxPages>(
    { queryKey: ['inbox'] },
    (found) =>
      found && {
        ...found,
        pages: found.pages.map((page) => ({ ...page, leads: page.leads.map(update) })),
      },
  );
  setCached<LeadPage>(['lead', lead.id], (page) => ({
    ...page,
    lead: { ...page.lead, ...changed },
  }));
  return () => {
    for (const [key, data] of before) queries.setQueryData(key, data);
  };
}

const setLeaving = ({ id }: LeadRow, leaving: LeavingReply | null) =>
  setCached<LeadPage>(['lead', id], (page) => ({ ...page, reply: { ...page.reply, leaving } }));

/** Returns whether it was accepted. */
export async function sendReply(
  lead: LeadRow,
  reply: { text: string; booking: boolean; quote: boolean },
): Promise<boolean> {
  try {
    const leaving = await post<LeavingReply>(`leads/${lead.id}/reply`, reply);
    setLeaving(lead, leaving);
    return true;
  } catch (error) {
    return notifyFailure(error, async () => {
      const { leaving, is_draft } = (await get<LeadPage>(`leads/${lead.id}`)).reply;
      // What is sent is no longer a draft.
      if (!leaving && is_draft)
        return { isDone: false, message: 'Your reply was not sent. Its text is kept.' };
      return { isDone: true, message: `Your reply ${leaving ? 'is on its way' : 'has left'}.` };
    });
  } finally {
    refresh('inbox', 'lead');
  }
}

export function callBack(lead: LeadRow, leaving: LeavingReply) {
  const reply = `Your reply to ${firstName(lead.name)}`;
  const calledBack = `${reply} is called back. Nothing has left.`;
  return {
    message: `${reply} leaves in`,
    key: leaving.id,
    verb: 'Call it back' as const,
    until: Date.parse(leaving.leaves_at),
    reverse: async () => {
      await post(`replies/${leaving.id}/call-back`);
      setLeaving(lead, null);
      return { message: calledBack };
    },
    lookUp: async () => {
      const now = (await get<LeadPage>(`leads/${lead.id}`)).reply;
      if (now.leaving) return { isDone: false, message: `${reply} was not called back.` };
      return { isDone: true, message: now.is_draft ? calledBack : `${reply} has left.` };
    },
  };
}

export const recordSeen = (id: string) => tell(`leads/${id}/seen`).then(() => refresh('inbox'));

/** Removes everything about the person. */
export async function forget({ id }: LeadRow, email: string): Promise<void> {
  const { message } = await post(`leads/${id}/forget`, { email });
  queries.removeQueries({ queryKey: ['lead', id] });
  refresh('inbox', 'newsletter', 'subscribers');
  go(lastPlace.address);
  notify(message);
}
