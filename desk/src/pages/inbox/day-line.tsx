import { type CSSProperties, memo, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { useOwner } from '../../api/queries.ts';
import type { BookedCall, LeadRow } from '../../api/types.ts';
import { isWaiting } from '../../lib/urgency.ts';
import { clockTime, firstName, plural, timeParts, timeWords, untilCall } from '../../lib/words.ts';
import { paths } from '../../routes.ts';
import ui from '../../ui/ui.module.css';
import styles from './inbox.module.css';

const hours = [9, 11, 13, 15, 17, 19, 21, 23];
const leftAt = (x: number) => ({ left: `${x}%` });

interface Props {
  leads: LeadRow[];
  calls: BookedCall[];
  now: number;
}

/** Calls above, promises below, now between; what stands left of now below is late. */
export const DayLine = memo(({ leads, calls, now }: Props) => {
  const { zone } = useOwner().site;
  const { weekday, day, month } = timeParts(now, zone);
  const axis = useRef<HTMLDivElement>(null);
  const width = useWidth(axis);
  const placedCalls = callsToday(calls, now, zone, width);
  const to = endOfAxis(calls, now, zone, width);
  const promises = promisesToday(leads, now, zone, width, to);
  const rows = Math.max(1, ...placedCalls.map(({ row }) => row + 1));
  const nowPosition = position(now, zone, to);
  const occupied = [nowPosition, ...promises.map(({ x }) => x)];
  const isFree = (hour: number) =>
    hour < to && occupied.every((x) => Math.abs(x - xOf(hour, to)) > 2);
  const isBeforeCall = calls.some((call) => {
    const ahead = position(Date.parse(call.at), zone, to) - nowPosition;
    return ahead > 0 && ahead < 6;
  });
  return (
    <section className={styles.day} aria-labelledby="day" data-calls={calls.length > 0}>
      <header>
        <h2 id="day">Today, {`${weekday} ${day} ${month}`}</h2>
        <p className={ui.aside}>
          {calls.length > 0 ? plural(calls.length, 'call') : 'No calls'}
          <span className={ui.wide}>{explanation(calls.length, promises.length)}</span>
        </p>
      </header>
      <div ref={axis} className={styles.axis} style={{ '--rows': rows } as CSSProperties}>
        <i className={styles.hours} />
        <i className={styles.past} style={{ width: `${nowPosition}%` }} />
        {hours.filter(isFree).map((hour) => (
          <i key={hour} className={styles.hour} style={leftAt(xOf(hour, to))} aria-hidden="true">
            {String(hour).padStart(2, '0')}
          </i>
        ))}
        <ul>
          {placedCalls.map((call) => (
            <li
              key={call.lead + call.at}
              className={styles.call}
              style={{ ...leftAt(call.x), '--row': call.row } as CSSProperties}
            >
              <a href={paths.lead(call.lead)}>
                <time dateTime={call.at}>{call.time}</time>
                <b>{call.name}</b>
                <span data-next={call.isNext}>{call.timeLeft}</span>
              </a>
            </li>
          ))}
        </ul>
        <ul>
          {promises.map((mark) => (
            <li
              key={mark.id}
              className={`${styles.due} ${mark.late ? styles.late : ''} ${mark.flipped ? styles.flipped : ''}`}
              style={leftAt(mark.x)}
            >
              <span dir="auto" className={mark.labelled ? undefined : ui.hidden}>
                {mark.label}
                {mark.late && <span className={ui.hidden}>, late</span>}
              </span>
            </li>
          ))}
        </ul>
        <i className={styles.now} style={leftAt(nowPosition)}>
          <i data-flipped={nowPosition > 94 || isBeforeCall}>{clockTime(now, zone)}</i>
        </i>
      </div>
    </section>
  );
});

/** In rem, as words grow with the text. */
function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(60);
  useLayoutEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([entry]) => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      if (entry) setWidth(Math.round(entry.contentRect.width / rem));
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}

function explanation(calls: number, promises: number): string {
  if (promises === 0) return ', no promise runs out today';
  return calls > 0
    ? ' above the line, promises that run out below it'
    : '; promises that run out stand below the line';
}

/** Hours at the ends of the axis, which is longer on days with late calls. */
const from = 8;
const usualEnd = 18;
/** In rem, to find out whether two labels overlap. */
const letterWidth = 0.45;
const labelGap = 1.25;
const callTimeWidth = 3.6;

const xOf = (hour: number, to: number) => ((hour - from) / (to - from)) * 100;

function hourOf(at: number, zone: string): number {
  const { hour, minute } = timeParts(at, zone);
  return Number(hour) + Number(minute) / 60;
}

const position = (at: number, zone: string, to: number) =>
  Math.min(100, Math.max(0, xOf(hourOf(at, zone), to)));

/** The hour at which the words of every call fit to the right of its time. */
function endOfAxis(calls: BookedCall[], now: number, zone: string, axis: number): number {
  const ends = calls.map((call) => {
    const starts = Date.parse(call.at);
    const room = Math.max(0.4, 1 - callWidth(call.name, untilCall(starts - now), axis) / 100);
    return Math.ceil(from + (hourOf(starts, zone) - from) / room);
  });
  return Math.min(24, Math.max(usualEnd, ...ends));
}

/** In percent of the axis, with the time left if there is any. */
function callWidth(name: string, timeLeft: string, axis: number): number {
  const letters = name.length + (timeLeft ? timeLeft.length + 2 : 0);
  return ((callTimeWidth + letters * letterWidth + labelGap) / axis) * 100;
}

/** `axis` is its width in rem, `x` goes from 0 to 100. Only screen readers get labels that would overlap. */
export function promisesToday(
  leads: LeadRow[],
  now: number,
  zone: string,
  axis: number,
  to = usualEnd,
) {
  const due = leads
    .filter(isWaiting)
    .flatMap((lead) => (lead.due_at === null ? [] : { lead, at: Date.parse(lead.due_at) }))
    .filter(({ at }) => timeWords(at, now, zone).isToday)
    .sort((a, b) => a.at - b.at);
  let nextFree = 0;
  return due.map(({ lead, at }) => {
    const x = position(at, zone, to);
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

/** Each call in the lowest row where it covers no other. There is room for the time left beside the next one only. */
export function callsToday(calls: BookedCall[], now: number, zone: string, axis: number) {
  const rowEnds: number[] = [];
  const to = endOfAxis(calls, now, zone, axis);
  const next = calls.find(({ at }) => Date.parse(at) > now);
  return calls.map((call) => {
    const starts = Date.parse(call.at);
    const timeLeft = untilCall(starts - now);
    const isNext = call === next;
    const width = callWidth(call.name, isNext ? timeLeft : '', axis);
    const x = Math.max(0, Math.min(position(starts, zone, to), 100 - width));
    const free = rowEnds.findIndex((end) => end <= x);
    const row = free < 0 ? rowEnds.length : free;
    rowEnds[row] = x + width;
    return { ...call, time: clockTime(starts, zone), timeLeft, isNext, x, row };
  });
}
