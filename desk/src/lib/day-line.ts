/** The day from 8 to 18 as one axis: calls above it, promises that run out below. */
import type { BookedCall, LeadRow } from '../api/types.ts';
import { isWaiting } from './groups.ts';
import { clockTime, isToday, minutesOfDay } from './time.ts';
import { firstName } from './words.ts';

const from = 8 * 60;
const to = 18 * 60;
/** In rem, to tell whether two labels meet. */
const perLetter = 0.45;
const beside = 1.25;
const callTime = 3.6;

export function position(at: number, zone: string): number {
  const x = ((minutesOfDay(at, zone) - from) / (to - from)) * 100;
  return Math.min(100, Math.max(0, x));
}

/** `axis` is its width in rem, `x` goes from 0 to 100. Labels that would meet are for screen readers only. */
export function promisesToday(leads: LeadRow[], now: number, zone: string, axis: number) {
  const due = leads
    .filter(isWaiting)
    .flatMap((lead) => (lead.due_at === null ? [] : { lead, at: Date.parse(lead.due_at) }))
    .filter(({ at }) => isToday(at, now, zone))
    .sort((a, b) => a.at - b.at);
  let free = 0;
  return due.map(({ lead, at }) => {
    const x = position(at, zone);
    const label = `${firstName(lead.name).slice(0, 14)} ${clockTime(at, zone)}`;
    const width = ((label.length * perLetter + beside) / axis) * 100;
    // At the end of the day the label stands to the left.
    const flipped = x + width > 100;
    const start = flipped ? x - width : x;
    const labelled = start >= free;
    if (labelled) free = flipped ? x : x + width;
    return { id: lead.id, x, label, late: at < now, labelled, flipped };
  });
}

/** A call shows the name, and then the time left, if there is room before the next one. */
export function callsToday(calls: BookedCall[], zone: string, axis: number) {
  const share = (rem: number) => (rem / axis) * 100;
  let free = 0;
  const placed = calls.map((call) => {
    const starts = Date.parse(call.at);
    const x = Math.min(position(starts, zone), 100 - share(callTime));
    const visible = x >= free;
    if (visible) free = x + share(callTime + beside);
    return { ...call, time: clockTime(starts, zone), starts, x, visible };
  });
  return placed.map((call, index) => {
    const next = placed.slice(index + 1).find(({ visible }) => visible);
    const end = next?.x ?? 100 + share(beside);
    const fits = (letters: number) => call.x + share(letters * perLetter + callTime) <= end;
    const { length } = call.name;
    return { ...call, named: fits(length + 2), told: fits(length + 16) };
  });
}
