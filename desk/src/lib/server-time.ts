/** The server's time. Promises are measured by it, because the browser's clock may be wrong. */
import { useEffect, useState } from 'react';
import { useIsShown } from './shown.ts';

/** How far the server's clock is ahead of the browser's, in milliseconds. */
let clockOffset = 0;

export function setServerTime(now: string): void {
  const difference = Date.parse(now) - Date.now();
  // Smaller differences are only the time the request took.
  clockOffset = Math.abs(difference) > 2000 ? difference : 0;
}

export const serverNow = (): number => Date.now() + clockOffset;

/** The server's time; the component renders again this often, but not while its page is hidden. */
export function useNow(everyMs = 15_000): number {
  const [now, setNow] = useState(Date.now);
  const isShown = useIsShown();
  useEffect(() => {
    if (!isShown) return;
    setNow((before) => (Date.now() - before < everyMs ? before : Date.now()));
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, isShown]);
  return now + clockOffset;
}
