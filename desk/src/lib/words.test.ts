import { describe, expect, it } from 'vitest';
import { fieldTime, hour, minute, timeLeft, timeWords, untilCall } from './words.ts';

const zone = 'America/Toronto';
/** 10:42 on a Wednesday there. */
const now = Date.parse('2026-11-18T15:42:00Z');

describe('the time left', () => {
  it.each([
    [38 * minute, '38 min left'],
    [59 * minute, '59 min left'],
    [20_000, '1 min left'],
    [hour, '1 h left'],
    [3 * hour + 59 * minute, '3 h left'],
    [47 * hour, '47 h left'],
    [49 * hour, '2 days left'],
    [-56 * minute, '56 min late'],
    [-2 * hour, '2 h late'],
    [-73 * hour, '3 days late'],
  ])('%i ms from now is "%s"', (ms, words) => {
    expect(timeLeft(now + ms, now)).toBe(words);
  });

  it('is "Just in" for ten minutes, unless it is late already', () => {
    expect(timeLeft(now + 24 * hour, now, now - 4 * minute)).toBe('Just in');
    expect(timeLeft(now + 24 * hour, now, now - 11 * minute)).toBe('24 h left');
    expect(timeLeft(now - minute, now, now - 4 * minute)).toBe('1 min late');
  });

  it('is told with the minutes for a call', () => {
    expect(untilCall(48 * minute)).toBe('in 48 min');
    expect(untilCall(4 * hour + 18 * minute)).toBe('in 4 h 18 min');
    expect(untilCall(4 * hour)).toBe('in 4 h');
    expect(untilCall(-minute)).toBe('started');
  });
});

const at = (time: string) => timeWords(Date.parse(time), now, zone);

describe('a time in the zone of the site', () => {
  it('is as short as it can be told, on the day that the site has, not the browser', () => {
    expect(at('2026-11-18T12:31:00Z').short).toBe('07:31');
    expect(at('2026-11-17T14:46:00Z').short).toBe('Tue 09:46');
    expect(at('2026-11-18T04:30:00Z').short).toBe('Tue 23:30');
    expect(at('2026-11-11T14:46:00Z').short).toBe('11 Nov');
    expect(at('2025-05-14T14:46:00Z').short).toBe('14 May 2025');
  });

  it('can be chosen in a field', () => {
    expect(fieldTime(now, zone)).toBe('2026-11-18T10:42');
    expect(fieldTime(Date.parse('2026-07-01T04:05:00Z'), zone)).toBe('2026-07-01T00:05');
    expect(fieldTime(now, 'Pacific/Auckland')).toBe('2026-11-19T04:42');
  });

  it('stands in a sentence', () => {
    expect(at('2026-11-18T13:40:00Z').full).toBe('08:40 today');
    expect(at('2026-11-17T13:40:00Z').full).toBe('Tue 17 Nov, 08:40');
  });
});
