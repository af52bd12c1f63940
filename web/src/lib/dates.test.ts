import { afterEach, expect, it, vi } from 'vitest';
import { longDate } from './dates.ts';

afterEach(() => vi.unstubAllEnvs());

it.each(['UTC', 'Pacific/Auckland', 'America/Vancouver'])('a day is the same in %s', (zone) => {
  vi.stubEnv('TZ', zone);
  expect(longDate('2026-11-05')).toBe('November 5, 2026');
  expect(longDate('1999-12-31')).toBe('December 31, 1999');
});
