import { createContext, useContext } from 'react';
import { useNow } from '../lib/server-time.ts';
import { byTime, clockTime, fullTime, recentTime, shortDate, shortTime } from '../lib/time.ts';
import type { Me } from './types.ts';

export const OwnerContext = createContext<Me | null>(null);

/** Who is signed in, and facts about the site. The sign-in page is not part of this app. */
export function useOwner(): Me {
  const owner = useContext(OwnerContext);
  if (!owner) throw new Error('nobody is signed in');
  return owner;
}

/** Formats the server's times in the zone of the site, relative to now. */
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
