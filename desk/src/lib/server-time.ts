/** The server's time, which promises are measured by: the browser's clock may be wrong. */
import { useEffect, useState } from 'react';
import { shared } from './store.ts';

const ahead = shared(0);

export function setServerTime(now: string): void {
  const difference = Date.parse(now) - Date.now();
  // Smaller differences are only the time the request took.
  const worthIt = Math.abs(difference) > 2000 ? difference : 0;
  if (Math.abs(worthIt - ahead.get()) > 2000) ahead.set(worthIt);
}

export const serverNow = (): number => Date.now() + ahead.get();

/** The current time; the component renders again this often. */
export function useNow(everyMs = 15_000): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const tick = () => setNow(Date.now());
    // A page that was out of sight shows an old time.
    setNow((now) => (Date.now() - now > 1000 ? Date.now() : now));
    const timer = setInterval(tick, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now + ahead.use();
}
