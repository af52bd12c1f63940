import { expect, it } from 'vitest';
import type { DayFigures } from '../../api/types.ts';
import { day } from '../../lib/words.ts';
import * as figures from './figures.ts';

const { answersByTime, change, delimited, longSpan, share, spanOf } = figures;

/** One visit on each day, the last of them 18 November 2026. */
const bars = (days: number) => {
  const last = Date.parse('2026-11-18T00:00:00Z');
  const by_day = Array.from({ length: days }, (_, index) => {
    const date = new Date(last - (days - 1 - index) * day).toISOString().slice(0, 10);
    return { day: date, requested: 1 } as DayFigures;
  });
  const made = figures.inBars({ days, by_day, to: '2026-11-18' });
  return made.map(({ name, isPart, counts }) => [name, isPart, counts.requested]);
};

it.each([
  [1934, 4812, '40% of visits', 40.2],
  [118, 1934, '6.1% of visits', 6.1],
  [1, 100_000, 'under 0.1% of visits', 0],
  [0, 20, '0% of visits', 0],
  [999, 1000, '99% of visits', 99.9],
  [41, 41, '100% of visits', 100],
  [3, 8, '3 of 8 visits', 37.5],
  [0, 0, ' none yet', 0],
  [4, 3, 'more than visits', 100],
  [4, 0, 'more than visits', 0],
])('the share of %i in %i is "%s", and never wider than its bar', (part, whole, said, bar) => {
  const { text, of, width } = share(part, whole, 'visits');
  expect([`${text} ${of}`, Math.round(width * 10) / 10]).toEqual([said, bar]);
});

it.each([
  [4812, 4415, '9% more'],
  [475, 500, '5% fewer'],
  [17, 12, '5 more'],
  [39, 41, '2 fewer'],
  [1000, 8, '992 more'],
  [7, 7, 'as before'],
  [7, 0, 'none counted before'],
  [0, 0, ''],
])('the change from now %i, before %i is "%s"', (now, before, said) => {
  expect(change(now, before)).toBe(said);
});

it('bars are days for a month, weeks that end today for three, and months for a year', () => {
  expect(bars(30)).toHaveLength(30);
  expect(bars(30).at(-1)).toEqual(['18 Nov', false, 1]);
  expect(bars(90)).toHaveLength(13);
  expect(bars(90)[0]).toEqual(['21 to 26 Aug', true, 6]);
  expect(bars(90).at(-1)).toEqual(['12 to 18 Nov', false, 7]);
  expect(bars(365).slice(0, 2)).toEqual([
    ['19 to 30 Nov 2025', true, 12],
    ['December 2025', false, 31],
  ]);
  expect(bars(365).at(-1)).toEqual(['1 to 18 Nov', false, 18]);
});

it('a span of days is as short as it can be told', () => {
  expect(spanOf('2026-10-27', '2026-11-02', '2026-11-18')).toBe('27 Oct to 2 Nov');
  expect(spanOf('2025-12-29', '2026-01-04', '2026-01-10')).toBe('29 Dec 2025 to 4 Jan');
  expect(spanOf('2024-02-01', '2024-02-29', '2026-01-10')).toBe('February 2024');
  expect(longSpan('2026-10-20', '2026-11-18')).toBe('20 October to 18 November');
});

it('the dots of the answers go to the promise, and further for who is late', () => {
  const { columns, promise } = figures.answerChart([0, 0.1, 3, 24], 24);
  expect([columns.length, promise]).toEqual([32, 100]);
  expect(columns.some(({ isLate }) => isLate)).toBe(false);
  // The very late share one column.
  const late = figures.answerChart([2, 40, 400], 24).columns.filter(({ isLate }) => isLate);
  expect(late.at(-1)?.dots).toBe(2);
});

it('the answers are a table too', () => {
  expect(answersByTime([0, 6, 6.1, 24, 24.5], 24)).toEqual([
    ['Up to 6 h', 2],
    ['6 to 12 h', 1],
    ['12 to 18 h', 0],
    ['18 to 24 h', 1],
    ['After 24 h', 1],
  ]);
});

it('a table is copied with tabs and saved with commas, and no name becomes a formula', () => {
  const table: figures.CountTable = {
    columns: [{ label: 'Source' }, { label: 'Visits per booking' }],
    rows: [
      ['=1+1, "x"', 306],
      ['a\tb', null],
    ],
  };
  expect(delimited(table, '\t')).toBe('Source\tVisits per booking\n\'=1+1, "x"\t306\na b\t\n');
  expect(delimited(table, ',')).toBe(
    '"Source","Visits per booking"\n"\'=1+1, ""x""",306\n"a\tb",\n',
  );
});
