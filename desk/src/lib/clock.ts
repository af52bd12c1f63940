/** The server's time: the browser's clock may be wrong, and promises are the server's. */
import { useEffect, useState } from 'react';

let ahead = 0;
const listeners = new Set<() => void>();

export function setServerTime(now: string): void {
  const difference = Date.parse(now) - Date.now();
  // Less is what the way takes, and would only make the minutes tremble.
  const wasAhead = ahead;
  ahead = Math.abs(difference) > 2000 ? difference : 0;
  if (Math.abs(ahead - wasAhead) > 2000) for (const listener of listeners) listener();
}

export const serverNow = (): number => Date.now() + ahead;

/** The present, asked for again that often. */
export function useNow(everyMs = 15_000): number {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    const tick = () => setNow(serverNow());
    const timer = setInterval(tick, everyMs);
    listeners.add(tick);
    return () => {
      clearInterval(timer);
      listeners.delete(tick);
    };
  }, [everyMs]);
  return now;
}
