/** Positions on the day line, an axis from 8 to 18: calls above it, promises that run out below. */
import type { BookedCall, LeadRow } from '../api/types.ts';
import { isWaiting } from './groups.ts';
import { clockTime, isToday, minutesOfDay } from './time.ts';
import { firstName } from './words.ts';

const from = 8 * 60;
const to = 18 * 60;
/** In rem, to find out whether two labels overlap. */
const letterWidth = 0.45;
const labelGap = 1.25;
const callTimeWidth = 3.6;

export function position(at: number, zone: string): number {
  const x = ((minutesOfDay(at, zone) - from) / (to - from)) * 100;
  return Math.min(100, Math.max(0, x));
}

/** `axis` is its width in rem, `x` goes from 0 to 100. Only screen readers get labels that would overlap. */
export function promisesToday(leads: LeadRow[], now: number, zone: string, axis: number) {
  const due = leads
    .filter(isWaiting)
    .flatMap((lead) => (lead.due_at === null ? [] : { lead, at: Date.parse(lead.due_at) }))
    .filter(({ at }) => isToday(at, now, zone))
    .sort((a, b) => a.at - b.at);
  let nextFree = 0;
  return due.map(({ lead, at }) => {
    const x = position(at, zone);
    const label = `${firstName(lead.name).slice(0, 14)} ${clockTime(at, zone)}`;
    const width = ((label.length * letterWidth + labelGap) / axis) * 100;
    // At the end of the day the label stands to the left.
    const flipped = x + width > 100;
    const start = flipped ? x - width : x;
    const labelled = start >= nextFree;
    if (labelled) nextFree = flipped ? x : x + width;
    return { id: lead.id, x, label, late: at < now, labelled, flipped };
  });
}

/** Each call with whether there is room for it, for its name and for the time left. */
export function callsToday(calls: BookedCall[], zone: string, axis: number) {
  const share = (rem: number) => (rem / axis) * 100;
  let nextFree = 0;
  const placed = calls.map((call) => {
    const starts = Date.parse(call.at);
    const x = Math.min(position(starts, zone), 100 - share(callTimeWidth));
    const visible = x >= nextFree;
    if (visible) nextFree = x + share(callTimeWidth + labelGap);
    return { ...call, time: clockTime(starts, zone), starts, x, visible };
  });
  return placed.map((call, index) => {
    const next = placed.slice(index + 1).find(({ visible }) => visible);
    const end = next?.x ?? 100 + share(labelGap);
    const fits = (letters: number) => call.x + share(letters * letterWidth + callTimeWidth) <= end;
    const { length } = call.name;
    return { ...call, showsName: fits(length + 2), showsTimeLeft: fits(length + 16) };
  });
}
