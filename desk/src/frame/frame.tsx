import { type ReactNode, useEffect, useRef, useState } from 'react';
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
import { KeysDialog } from './keys-dialog.tsx';
import { Rail, TabBar } from './navigation.tsx';
import { Toast } from './toast.tsx';

/** What stands around every page: rail, sheet, foot line; on a phone tabs at the bottom. */
export function Frame({ children }: { children: ReactNode }) {
  const [location, go] = useLocation();
  const [showsKeys, setShowsKeys] = useState(false);
  const sheet = useRef<HTMLElement>(null);

  useEffect(listenToKeys, []);
  const open = (key: number) => () => {
    const item = navigation.find((each) => each.key === key);
    if (item) go(item.path);
  };
  useKeys({
    undo: () => void undoLatest(),
    keys: () => setShowsKeys(true),
    'page-1': open(1),
    'page-2': open(2),
    'page-3': open(3),
    'page-4': open(4),
    'page-5': open(5),
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

  const isLead = location.startsWith('/leads/');
  return (
    <div className={styles.frame} data-lead={isLead}>
      <button type="button" className={styles.skip} onClick={() => sheet.current?.focus()}>
        Skip to the content
      </button>
      <Rail />
      <main id="sheet" className={styles.sheet} ref={sheet} tabIndex={-1}>
        <Unanswered />
        {children}
      </main>
      <FootLine showKeys={() => setShowsKeys(true)} />
      {!isLead && <TabBar />}
      <Toast />
      {showsKeys && <KeysDialog onClose={() => setShowsKeys(false)} />}
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
