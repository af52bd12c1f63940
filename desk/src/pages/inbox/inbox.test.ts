import { expect, it } from 'vitest';
import type { BookedCall, LeadRow } from '../../api/types.ts';
import { urgency } from '../../lib/urgency.ts';
import { hour, minute } from '../../lib/words.ts';
import { callsToday, promisesToday } from './day-line.tsx';
import { inboxSentence } from './inbox-page.tsx';

const zone = 'America/Toronto';
const now = Date.parse('2026-11-18T15:42:00Z');

const at = (ms: number) => new Date(now + ms).toISOString();

const lead = (name: string, dueIn: number, rest: Partial<LeadRow> = {}) =>
  ({
    id: name,
    name,
    due_at: at(dueIn),
    due_soon_at: at(dueIn - 4 * hour),
    state: 'new',
    held: false,
    ...rest,
  }) as LeadRow;

it.each([
  ['late', -2 * hour, {}],
  ['due', 4 * hour - minute, {}],
  ['waiting', 4 * hour, {}],
  ['done', -30 * hour, { state: 'booked' }],
  ['done', -hour, { held: true }],
] as const)('a lead is %s if its promise ends in %i ms and it has %o', (kind, dueIn, rest) => {
  expect(urgency(lead('Ada', dueIn, rest), now)).toBe(kind);
});

it.each([
  [{ late: 0, due: 0, waiting: 0 }, 'Nobody is waiting.'],
  [{ late: 2, due: 2, waiting: 7 }, 'Two are late, two are due by 14:05.'],
  [{ late: 1, due: 0, waiting: 1 }, 'One is late.'],
  [{ late: 0, due: 1, waiting: 1 }, 'One is due by 14:05.'],
  [{ late: 0, due: 0, waiting: 14 }, '14 are waiting, none is due soon.'],
])('the inbox says %o as "%s"', (counts, sentence) => {
  const leads = [lead('Radia', 3 * hour + 23 * minute), lead('Alan', 5 * hour)];
  expect(inboxSentence(counts, leads, now, zone)).toBe(sentence);
});

it('the day line has the promises of today from 8 to 18, late left of now', () => {
  const leads = [
    lead('Ada Byron', -2 * hour - 2 * minute),
    lead('Radia Joy', 3 * hour + 23 * minute),
    lead('Jean', 30 * hour),
    lead('Early', -9 * hour),
  ];
  const marks = promisesToday(leads, now, zone, 60);
  expect(marks.map(({ x, label, late }) => [Math.round(x), label, late])).toEqual([
    [0, 'Early 01:42', true],
    [7, 'Ada 08:40', true],
    [61, 'Radia 14:05', false],
  ]);
});

it('the day line is longer for a call in the evening, which stands to the right of now', () => {
  const late = now + 7 * hour;
  const calls = [{ name: 'Karen Jones', at: at(9 * hour) } as BookedCall];
  const [shown] = callsToday(calls, late, zone, 60);
  const marks = promisesToday([lead('Ada', 7 * hour)], late, zone, 60, 24);
  expect([shown?.time, Math.round(shown?.x ?? 0)]).toEqual(['19:42', 73]);
  expect(marks[0]?.x).toBeLessThan(shown?.x ?? 0);
});
