import { memo, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { useOwner } from '../../api/owner.ts';
import type { BookedCall } from '../../api/types.ts';
import { callsToday, position, promisesToday } from '../../lib/day-line.ts';
import type { Group } from '../../lib/groups.ts';
import { clockTime, longDate, untilCall } from '../../lib/time.ts';
import { plural } from '../../lib/words.ts';
import { paths } from '../../routes.ts';
import prose from '../../ui/prose.module.css';
import styles from './day-line.module.css';

const hours = [9, 11, 13, 15, 17];
const hourAt = (hour: number) => (hour - 8) * 10;
const leftAt = (x: number) => ({ left: `${x}%` });

interface Props {
  groups: Group[];
  calls: BookedCall[];
  now: number;
}

/** Calls above, promises below, now between; what stands left of now below is late. */
export const DayLine = memo(({ groups, calls, now }: Props) => {
  const { zone } = useOwner().site;
  const axis = useRef<HTMLDivElement>(null);
  const width = useWidth(axis);
  const leads = groups.flatMap((group) => group.leads);
  const promises = promisesToday(leads, now, zone, width);
  const nowPosition = position(now, zone);
  const occupied = [nowPosition, ...promises.map(({ x }) => x)];
  const isFree = (hour: number) => occupied.every((x) => Math.abs(x - hourAt(hour)) > 2);
  const isBeforeCall = calls.some((call) => {
    const ahead = position(Date.parse(call.at), zone) - nowPosition;
    return ahead > 0 && ahead < 6;
  });
  return (
    <section className={styles.day} aria-labelledby="day" data-calls={calls.length > 0}>
      <header>
        <h2 id="day">Today, {longDate(now, zone)}</h2>
        <p className={prose.aside}>
          {calls.length > 0 ? plural(calls.length, 'call') : 'No calls'}
          <span className={prose.wide}>{explanation(calls.length, promises.length)}</span>
        </p>
      </header>
      <div ref={axis} className={styles.axis}>
        <i className={styles.hours} />
        <i className={styles.past} style={{ width: `${nowPosition}%` }} />
        {hours.filter(isFree).map((hour) => (
          <i key={hour} className={styles.hour} style={leftAt(hourAt(hour))} aria-hidden="true">
            {String(hour).padStart(2, '0')}
          </i>
        ))}
        <ul>
          {callsToday(calls, zone, width).map((call) => (
            <li
              key={call.lead + call.at}
              className={styles.call}
              style={leftAt(call.x)}
              hidden={!call.visible}
            >
              <Link href={paths.lead(call.lead)}>
                <time dateTime={call.at}>{call.time}</time>
                <b className={call.showsName ? undefined : styles.unnamed}>{call.name}</b>
                <span className={call.showsTimeLeft ? undefined : styles.unnamed}>
                  {untilCall(call.starts - now)}
                </span>
              </Link>
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
              <span dir="auto" className={mark.labelled ? undefined : prose.hidden}>
                {mark.label}
                {mark.late && <span className={prose.hidden}>, late</span>}
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
