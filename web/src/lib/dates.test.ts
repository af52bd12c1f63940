import { expect, it } from 'vitest';
import { longDate } from './dates.ts';

it.each([
  ['2026-11-05', 'November 5, 2026'],
  ['2026-01-01', 'January 1, 2026'],
  ['2024-02-29', 'February 29, 2024'],
  ['1999-12-31', 'December 31, 1999'],
])('%s reads %s, in every time zone', (day, text) => {
  const zone = process.env.TZ;
  try {
    for (const name of ['UTC', 'Pacific/Auckland', 'America/Vancouver']) {
      process.env.TZ = name;
      expect(longDate(day)).toBe(text);
    }
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
});
