import { expect, it } from 'vitest';
import { longDate } from './dates.ts';

it.each([
  ['2026-11-05', 'November 5, 2026'],
  ['2026-01-01', 'January 1, 2026'],
  ['2024-02-29', 'February 29, 2024'],
  ['1999-12-31', 'December 31, 1999'],
])('%s reads %s', (day, text) => {
  expect(longDate(day)).toBe(text);
});
