/** The server's time: the browser's clock may be wrong, and promises are the server's. */
import { useEffect, useState } from 'react';
import { shared } from './shared.ts';

const ahead = shared(0);

export function setServerTime(now: string): void {
  const difference = Date.parse(now) - Date.now();
  // Less is what the request took, and would only make the minutes tremble.
  const worthIt = Math.abs(difference) > 2000 ? difference : 0;
  if (Math.abs(worthIt - ahead.get()) > 2000) ahead.set(worthIt);
}

export const serverNow = (): number => Date.now() + ahead.get();

/** The present, asked for again that often. */
export function useNow(everyMs = 15_000): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now + ahead.use();
}
