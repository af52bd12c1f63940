/** The server's time. Promises are measured by it, because the browser's clock may be wrong. */
import { useEffect, useState } from 'react';
import { createStore } from './store.ts';

/** How far the server's clock is ahead of the browser's, in milliseconds. */
const clockOffset = createStore(0);

export function setServerTime(now: string): void {
  const difference = Date.parse(now) - Date.now();
  // Smaller differences are only the time the request took.
  const offset = Math.abs(difference) > 2000 ? difference : 0;
  if (Math.abs(offset - clockOffset.get()) > 2000) clockOffset.set(offset);
}

export const serverNow = (): number => Date.now() + clockOffset.get();

/** The server's time; the component renders again this often. */
export function useNow(everyMs = 15_000): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now + clockOffset.use();
}
