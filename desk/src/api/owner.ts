import { createContext, useContext } from 'react';
import { useNow } from '../lib/clock.ts';
import { byTime, clockTime, fullTime, recentTime, shortDate, shortTime } from '../lib/time.ts';
import type { Me } from './types.ts';

export const OwnerContext = createContext<Me | null>(null);

/** Who is signed in, and the site's facts: known on every page but the sign-in page. */
export function useOwner(): Me {
  const owner = useContext(OwnerContext);
  if (!owner) throw new Error('nobody is signed in');
  return owner;
}

/** Times of the server as sentences have them: in the zone of the site, seen from now. */
export function useTimes() {
  const { zone } = useOwner().site;
  const now = useNow();
  const of = (format: typeof shortTime) => (time: string) => format(Date.parse(time), now, zone);
  return {
    now,
    clock: (time: string) => clockTime(Date.parse(time), zone),
    date: of(shortDate),
    short: of(shortTime),
    recent: of(recentTime),
    full: of(fullTime),
    by: of(byTime),
  };
}
