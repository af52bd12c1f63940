/** The owner's actions on leads: shown at once, and reverted with a message if the server refuses. */

import {
  asProblem,
  type InboxPage,
  type InboxPages,
  post,
  queries,
  refresh,
  setCached,
} from '../api/queries.ts';
import type { Done, LeadPage, LeadRow, LeadState, LeavingReply } from '../api/types.ts';
import { firstName } from '../lib/words.ts';
import { notify, notifyFailure, offerUndo, type Undoable, undoWaitsFor } from './toasts.ts';

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
    if (undo) offerUndo({ message, reverse });
    else notify(message);
    return done;
  } catch (error) {
    revert();
    const { name, state, held } = lead;
    const stateMessage = `${name} is still ${held ? 'held' : state === 'new' ? 'waiting' : state}.`;
    const stillTrue = what === 'note' ? 'The note is as it was.' : stateMessage;
    // The message of a refusal already says what is true now.
    if (!asProblem(error).isUnreachable) notifyFailure(error);
    else notifyFailure(error, stillTrue, () => void change(lead, after, what, body));
    return undefined;
  } finally {
    refresh('inbox', 'lead');
  }
}

/** Changes the lead wherever it is shown; returns a function that reverts this. */
function updateOptimistically(lead: LeadRow, changed: Partial<LeadRow>): () => void {
  const before = [
    ...queries.getQueriesData({ queryKey: ['inbox'] }),
    ...queries.getQueriesData({ queryKey: ['lead', lead.id] }),
  ];
  const inInbox = (inbox: InboxPage): InboxPage => ({
    ...inbox,
    leads: inbox.leads.map((row) => (row.id === lead.id ? { ...row, ...changed } : row)),
  });
  queries.setQueriesData<InboxPages>(
    { queryKey: ['inbox'] },
    (pages) => pages && { ...pages, pages: pages.pages.map(inInbox) },
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
    notifyFailure(error, 'Your text is kept.');
    return false;
  } finally {
    refresh('inbox', 'lead');
  }
}

export function callBack(lead: LeadRow, leaving: LeavingReply): Undoable {
  const reply = `Your reply to ${firstName(lead.name)}`;
  return {
    message: `${reply} leaves in`,
    key: leaving.id,
    verb: 'Call it back',
    until: Date.parse(leaving.leaves_at),
    reverse: async () => {
      await post(`replies/${leaving.id}/call-back`);
      setLeaving(lead, null);
      return { message: `${reply} is called back. Nothing has left.` };
    },
  };
}
