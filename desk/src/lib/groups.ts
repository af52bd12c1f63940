/** The promise sorts the inbox: what is late, what is due, what waits, and what was done this week. */
import type { Inbox, LeadRow } from '../api/types.ts';
import { capital, clockTime, inWords } from './words.ts';

export type Urgency = 'late' | 'due' | 'waiting' | 'done';

export interface Group {
  urgency: Urgency;
  leads: LeadRow[];
}

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

/** The groups that have leads, in the server's order: the oldest promise first. */
export const groupByPromise = (leads: LeadRow[], now: number): Group[] =>
  (['late', 'due', 'waiting', 'done'] as const)
    .map((kind) => ({ urgency: kind, leads: leads.filter((each) => urgency(each, now) === kind) }))
    .filter((group) => group.leads.length > 0);

/** "Two are late, two are due by 14:05." */
export function inboxSentence(
  counts: { late: number; due: number; waiting: number },
  groups: Group[],
  zone: string,
): string {
  const { late, due, waiting } = counts;
  if (waiting === 0) return 'Nobody is waiting.';
  const are = (n: number, what: string) => `${inWords(n)} ${n === 1 ? 'is' : 'are'} ${what}`;
  const parts = late > 0 ? [are(late, 'late')] : [];
  const last = groups.find(({ urgency }) => urgency === 'due')?.leads.at(-1)?.due_at;
  if (due > 0)
    parts.push(are(due, last ? `due by ${clockTime(Date.parse(last), zone)}` : 'due soon'));
  if (parts.length === 0) parts.push(`${are(waiting, 'waiting')}, none is due soon`);
  return `${capital(parts.join(', '))}.`;
}
