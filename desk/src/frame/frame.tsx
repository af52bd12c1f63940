import { type ReactNode, useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { undoLatest } from '../actions/toasts.ts';
import { asProblem } from '../api/client.ts';
import { useOwner } from '../api/owner.ts';
import { useInbox } from '../api/queries.ts';
import { serverNow } from '../lib/clock.ts';
import { listenToKeys, useKeys } from '../lib/keyboard.ts';
import { clockTime } from '../lib/time.ts';
import { navigation } from '../routes.ts';
import { FootLine } from './foot-line.tsx';
import styles from './frame.module.css';
import { Navigation } from './navigation.tsx';
import { Toast } from './toast.tsx';

/** What stands around every page: navigation, sheet, foot line. */
export function Frame({ children }: { children: ReactNode }) {
  const [location, go] = useLocation();
  const sheet = useRef<HTMLElement>(null);
  useEffect(listenToKeys, []);
  useKeys({
    z: undoLatest,
    ...Object.fromEntries(navigation.map(({ key, path }) => [key, () => go(path)])),
  });

  const shown = useRef(location);
  // A new page begins at its top, and reading and tabbing go on there.
  useEffect(() => {
    const isFirst = shown.current === location;
    shown.current = location;
    if (isFirst) return;
    // With the frame that shows it: to measure now would lay the page out twice.
    const frame = requestAnimationFrame(() => {
      const main = sheet.current;
      if (!main || main.contains(document.activeElement)) return;
      main.scrollTop = 0;
      window.scrollTo(0, 0);
      main.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(frame);
  }, [location]);

  return (
    <div className={styles.frame} data-lead={location.startsWith('/leads/')}>
      <button type="button" className={styles.skip} onClick={() => sheet.current?.focus()}>
        Skip to the content
      </button>
      <Navigation />
      <main id="sheet" className={styles.sheet} ref={sheet} tabIndex={-1}>
        <Unanswered />
        {children}
      </main>
      <FootLine />
      <Toast />
    </div>
  );
}

/** What stands on the page stays; this says how old it is. */
function Unanswered() {
  const { error, dataUpdatedAt } = useInbox('waiting');
  const { zone } = useOwner().site;
  const heard = dataUpdatedAt === 0 ? serverNow() : dataUpdatedAt + serverNow() - Date.now();
  return (
    <p role="status" className={error ? styles.unanswered : undefined}>
      {error &&
        `${asProblem(error).message} You see what the server said at ${clockTime(heard, zone)}; it is asked again every ten seconds.`}
    </p>
  );
}
