import { describe, expect, it } from 'vitest';
import type { BookedCall, LeadRow } from '../api/types.ts';
import { callsToday, promisesToday } from '../pages/inbox/day-line.tsx';
import { groupByPromise, inboxSentence } from './groups.ts';
import { hour, minute } from './words.ts';

const zone = 'America/Toronto';
const now = Date.parse('2026-11-18T15:42:00Z');

const at = (ms: number) => new Date(now + ms).toISOString();

const lead = (name: string, dueIn: number | null, rest: Partial<LeadRow> = {}) =>
  ({
    id: name,
    name,
    due_at: dueIn === null ? null : at(dueIn),
    due_soon_at: dueIn === null ? null : at(dueIn - 4 * hour),
    state: 'new',
    held: false,
    ...rest,
  }) as LeadRow;

describe('the inbox', () => {
  it('has the leads in groups by their promise', () => {
    const leads = [
      lead('Ada', -2 * hour),
      lead('Mary', -30 * hour, { state: 'booked' }),
      lead('Radia', 4 * hour - minute),
      lead('Alan', 4 * hour),
      lead('Spammer', -hour, { held: true }),
    ];
    const groups = groupByPromise(leads, now);
    expect(groups.map(({ urgency, leads }) => [urgency, ...leads.map((l) => l.name)])).toEqual([
      ['late', 'Ada'],
      ['due', 'Radia'],
      ['waiting', 'Alan'],
      ['done', 'Mary', 'Spammer'],
    ]);
  });

  it.each([
    [{ late: 0, due: 0, waiting: 0 }, 'Nobody is waiting.'],
    [{ late: 2, due: 2, waiting: 7 }, 'Two are late, two are due by 14:05.'],
    [{ late: 1, due: 0, waiting: 1 }, 'One is late.'],
    [{ late: 0, due: 1, waiting: 1 }, 'One is due by 14:05.'],
    [{ late: 0, due: 0, waiting: 14 }, '14 are waiting, none is due soon.'],
  ])('says %o as "%s"', (counts, sentence) => {
    const groups = groupByPromise([lead('Radia', 3 * hour + 23 * minute)], now);
    expect(inboxSentence(counts, groups, zone)).toBe(sentence);
  });
});

describe('the day line', () => {
  it('has the promises of today from 8 to 18, late left of now', () => {
    const leads = [
      lead('Ada Byron', -2 * hour - 2 * minute),
      lead('Radia Joy', 3 * hour + 23 * minute),
      lead('Jean', 30 * hour),
      lead('Hedy', null),
      lead('Early', -9 * hour),
    ];
    const marks = promisesToday(leads, now, zone, 60);
    expect(marks.map(({ x, label, late }) => [Math.round(x), label, late])).toEqual([
      [0, 'Early 01:42', true],
      [7, 'Ada 08:40', true],
      [61, 'Radia 14:05', false],
    ]);
  });

  it('drops labels that would overlap, and puts the last one on the left', () => {
    const leads = [0, 5, 10, 120].map((at) => lead(`Lead${at}`, at * minute));
    leads.push(lead('Katherine', 7 * hour + 8 * minute));
    const marks = promisesToday(leads, now, zone, 60);
    expect(marks.map(({ labelled }) => labelled)).toEqual([true, false, false, true, true]);
    expect(marks.at(-1)?.flipped).toBe(true);
  });

  it('puts calls that would cover each other in rows, and the time left beside the next', () => {
    const call = (name: string, minutes: number) =>
      ({ name, at: at(minutes * minute) }) as BookedCall;
    const calls = [
      call('Mary Keller', -60),
      call('Karen Jones', 60),
      call('Betty Snyder', 70),
      call('Joan Clarke', 258),
    ];
    const shown = callsToday(calls, now, zone, 60);
    expect(shown.map((each) => [each.time, each.row, each.isNext])).toEqual([
      ['09:42', 0, false],
      ['11:42', 0, true],
      ['11:52', 1, false],
      ['15:00', 0, false],
    ]);
  });

  it('makes the axis longer for a call in the evening, which stands to the right of now', () => {
    const late = now + 7 * hour;
    const calls = [{ name: 'Karen Jones', at: at(9 * hour) } as BookedCall];
    const [shown] = callsToday(calls, late, zone, 60);
    const marks = promisesToday([lead('Ada', 7 * hour)], late, zone, 60, 24);
    expect([shown?.time, Math.round(shown?.x ?? 0)]).toEqual(['19:42', 73]);
    expect(marks[0]?.x).toBeLessThan(shown?.x ?? 0);
  });
});
