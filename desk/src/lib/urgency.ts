/** How urgent a lead is, and who else answers it. */
import type { Inbox, LeadRow } from '../api/types.ts';

export type Urgency = 'late' | 'due' | 'waiting' | 'done';

export const isWaiting = (lead: LeadRow): boolean => lead.state === 'new' && !lead.held;

/** Who writes to the lead in another browser. */
export const otherWriter = (inbox: Inbox | undefined, lead: LeadRow) =>
  inbox?.people.find((each) => !each.this_browser && each.writing_to?.id === lead.id);

export function urgency(lead: LeadRow, now: number): Urgency {
  if (!isWaiting(lead)) return 'done';
  const isPast = (time: string | null) => time !== null && Date.parse(time) < now;
  if (isPast(lead.due_at)) return 'late';
  return isPast(lead.due_soon_at) ? 'due' : 'waiting';
}
