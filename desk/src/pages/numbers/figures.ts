/** The arithmetic of the Numbers page: shares, changes, bars, dots and what is copied. */
import type { Figures, NamedFigures, Numbers } from '../../api/types.ts';
import { day, number, timeParts, timeWords } from '../../lib/words.ts';
import type { Column } from '../../ui/parts.tsx';

/** `null` is shown as "none yet". */
export type Cell = string | number | null;

export interface Step {
  key: keyof Figures;
  label: string;
  /** In "40% of visits". */
  of: string;
  /** Left out of tables on a phone. */
  isMinor?: boolean;
}

const steps: Step[] = [
  { key: 'requested', label: 'Visits', of: 'visits' },
  { key: 'seen', label: 'Seen', of: 'seen', isMinor: true },
  { key: 'form_started', label: 'Form started', of: 'started', isMinor: true },
  { key: 'leads', label: 'Leads', of: 'leads' },
  { key: 'answered', label: 'Answered', of: 'answered', isMinor: true },
  { key: 'booked', label: 'Booked', of: 'booked' },
];

/** A column but not a step: who presses the link may book or not. */
const presses: Step = { key: 'booking_presses', label: 'Booking presses', of: '', isMinor: true };

/** Without counted visits, the steps start at leads. */
export const stepsOf = ({ counting, totals }: Numbers): Step[] =>
  counting || totals.requested > 0 ? steps : steps.slice(3);

/** In the first days there is no period before. */
export const isCompared = ({ before }: Numbers): boolean => Object.values(before).some(Boolean);

/** The columns of a wide table. */
export const columnsOf = (numbers: Numbers): Step[] => {
  const columns = stepsOf(numbers);
  return columns.length === steps.length ? [...columns, presses] : columns;
};

export interface CountTable {
  columns: Column[];
  rows: [name: string, ...Cell[]][];
}

/** A table with a column for each step. */
export const tableOf = (label: string, steps: Step[], counts: NamedFigures[]): CountTable => ({
  columns: [{ label }, ...steps],
  rows: counts.map((row) => [row.name, ...steps.map(({ key }) => row[key])]),
});

export const eachDay = (numbers: Numbers): CountTable =>
  tableOf(
    'Day',
    columnsOf(numbers),
    numbers.by_day.map((row) => ({ ...row, name: row.day })),
  );

/** With fewer, a percentage would suggest a precision that the numbers don't have. */
const minimumForPercent = 10;

/** "6.1%", "40%"; "100%" only for all. */
function percent(part: number, whole: number): string {
  const share = (part / whole) * 100;
  if (share > 0 && share < 0.1) return 'under 0.1%';
  if (share < 9.95) return `${Number(share.toFixed(1))}%`;
  return `${number(share < 100 ? Math.min(99, Math.round(share)) : Math.round(share))}%`;
}

/**
 * "40%" "of visits", "3 of 8" "visits", and how much of the bar it fills, up to 100. A part can be larger than the whole,
 * and then has no share: a browser without scripts sends a lead without reporting that the form was begun.
 */
export function share(part: number, whole: number, of: string) {
  if (part > whole) return { text: 'more', of: `than ${of}`, width: whole && 100 };
  if (whole === 0) return { text: '', of: 'none yet', width: 0 };
  const width = (part / whole) * 100;
  return whole < minimumForPercent
    ? { text: `${part} of ${whole}`, of, width }
    : { text: percent(part, whole), of: `of ${of}`, width };
}

/** "12% more", or "2 fewer" where the numbers are too small for a per cent. */
export function change(now: number, before: number): string {
  const difference = Math.abs(now - before);
  if (difference === 0) return now === 0 ? '' : 'as before';
  if (before === 0) return 'none counted before';
  const isPlain =
    difference < minimumForPercent || before < minimumForPercent || difference > 10 * before;
  return `${isPlain ? number(difference) : percent(difference, before)} ${now > before ? 'more' : 'fewer'}`;
}

/** Days for a month, weeks that end today for three months, months for a year. */
export const unitOf = (days: number) => (days <= 30 ? 'day' : days <= 90 ? 'week' : 'month');

/** `isPart`: the first week or month is not complete. */
export function inBars({ days, by_day, to }: Pick<Numbers, 'days' | 'by_day' | 'to'>) {
  const unit = unitOf(days);
  const groups = new Map<string | number, Numbers['by_day']>();
  for (const [index, row] of by_day.entries()) {
    const weeksAgo = Math.floor((by_day.length - 1 - index) / 7);
    const group = { day: row.day, week: weeksAgo, month: row.day.slice(0, 7) }[unit];
    groups.set(group, [...(groups.get(group) ?? []), row]);
  }
  return [...groups.values()].map((rows) => {
    const sums = [...steps, presses].map(({ key }) => [
      key,
      rows.reduce((all, row) => all + row[key], 0),
    ]);
    const counts: Figures = Object.fromEntries(sums);
    const from = rows[0]?.day ?? to;
    const isPart = unit === 'week' ? rows.length < 7 : unit === 'month' && !from.endsWith('-01');
    return { name: spanOf(from, rows.at(-1)?.day ?? to, to), isPart, counts };
  });
}

const dayAndYear = (day: string, now: string) =>
  timeWords(Date.parse(day), Date.parse(now), 'UTC').date;

/** "27 Oct to 2 Nov", "October": from one day to another, as short as possible. */
export function spanOf(from: string, to: string, now: string): string {
  const last = dayAndYear(to, now);
  if (from === to) return last;
  if (from.slice(0, 7) !== to.slice(0, 7)) return `${dayAndYear(from, to)} to ${last}`;
  const isMonth = from.endsWith('-01') && new Date(Date.parse(to) + day).getUTCDate() === 1;
  const { month } = timeParts(Date.parse(to), 'UTC');
  return isMonth ? last.replace(/^\d+ \w+/, month) : `${Number(from.slice(8))} to ${last}`;
}

/** "20 October to 18 November" */
export function longSpan(from: string, to: string): string {
  const [first, last] = [timeParts(Date.parse(from), 'UTC'), timeParts(Date.parse(to), 'UTC')];
  const year = first.year === last.year ? '' : ` ${first.year}`;
  return `${first.day} ${first.month}${year} to ${last.day} ${last.month}`;
}

/** Columns of dots up to the promise, and with the late answers. */
const columnsOfPromise = 32;
const columnsAtMost = 48;
const dotsAtMost = 10;

/**
 * The axis ends at the promise, or later if an answer is late; the very late share the last column. A whole dot
 * stands for `each` answers, the last one of a column for fewer.
 */
export function answerChart(hours: number[], promise: number) {
  const counts: number[] = Array(columnsOfPromise).fill(0);
  for (const hour of hours) {
    const place = Math.floor((hour / promise) * columnsOfPromise);
    // An answer after exactly the promised time is in time.
    const column = hour === promise ? place - 1 : Math.min(place, columnsAtMost - 1);
    while (counts.length <= column) counts.push(0);
    counts[column] = (counts[column] ?? 0) + 1;
  }
  const tallest = Math.max(...counts);
  let each = 1;
  for (let i = 0; tallest > dotsAtMost * each; i++) each *= [2, 2.5, 2][i % 3] ?? 1;
  const x = (column: number) => (column / counts.length) * 100;
  const isCut = counts.length === columnsAtMost;
  const tick = (quarter: number) => ({
    x: x((quarter / 4) * columnsOfPromise),
    label: `${number((quarter / 4) * promise)}${quarter === 0 ? ' h' : ''}`,
  });
  return {
    columns: counts.map((count, column) => ({
      x: x(column + 0.5),
      dots: count / each,
      isLate: column >= columnsOfPromise,
    })),
    each,
    promise: x(columnsOfPromise),
    ticks: [
      ...[0, 1, 2, 3, 4, 5].map(tick).filter(({ x }) => x <= (isCut ? 84 : 100)),
      ...(isCut ? [{ x: 100, label: 'later' }] : []),
    ],
  };
}

/** The same as numbers: answers within each quarter of the promise, and later ones. */
export function answersByTime(hours: number[], promise: number): [string, number][] {
  const quarter = promise / 4;
  const within = (from: number, to: number) => hours.filter((h) => h > from && h <= to).length;
  return [
    [`Up to ${number(quarter)} h`, within(-1, quarter)],
    ...[1, 2, 3].map((n): [string, number] => {
      const [from, to] = [n * quarter, (n + 1) * quarter];
      return [`${number(from)} to ${number(to)} h`, within(from, to)];
    }),
    [`After ${number(promise)} h`, within(promise, Number.POSITIVE_INFINITY)],
  ];
}

/** For a spreadsheet; a name that looks like a formula gets an apostrophe, as in every export. */
export function delimited({ columns, rows }: CountTable, separator: ',' | '\t'): string {
  const cell = (value: Cell) => {
    if (typeof value !== 'string') return String(value ?? '');
    const text = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
    return separator === ',' ? `"${text.replaceAll('"', '""')}"` : text.replaceAll(/\s/g, ' ');
  };
  const lines: Cell[][] = [columns.map(({ label }) => label), ...rows];
  return lines.map((row) => `${row.map(cell).join(separator)}\n`).join('');
}
