import { useEffect, useState, useSyncExternalStore } from 'react';
import { useInbox } from '../api/queries.ts';
import { CopyButton } from '../ui/command.tsx';
import { Keys } from '../ui/keys.tsx';
import prose from '../ui/prose.module.css';
import styles from './foot-line.module.css';

let ofPage = '';
const listeners = new Set<() => void>();

/** What the shell would do for what this page is about. */
export function useCommand(command: string): void {
  useEffect(() => {
    ofPage = command;
    for (const listener of listeners) listener();
  }, [command]);
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** What is pointed at or has the focus says its own command, otherwise the page does. */
function useShownCommand(): string {
  const page = useSyncExternalStore(subscribe, () => ofPage);
  const [pointed, setPointed] = useState<string>();
  useEffect(() => {
    const point = ({ target }: Event) => {
      if (!(target instanceof Element) || target.closest('[data-foot-line]')) return;
      setPointed(target.closest<HTMLElement>('[data-command]')?.dataset.command);
    };
    document.addEventListener('pointerover', point);
    document.addEventListener('focusin', point);
    return () => {
      document.removeEventListener('pointerover', point);
      document.removeEventListener('focusin', point);
    };
  }, []);
  return pointed ?? page;
}

export function FootLine({ showKeys }: { showKeys: () => void }) {
  const command = useShownCommand();
  return (
    <footer className={styles.line} data-foot-line>
      <span className={prose.hidden}>The command that does the same:</span>
      <code>{command}</code>
      <CopyButton command={command} />
      <span className={styles.end}>
        <Asked />
        <button type="button" aria-keyshortcuts="?" onClick={showKeys}>
          Keys <Keys keys={['?']} />
        </button>
      </span>
    </footer>
  );
}

function Asked() {
  const { dataUpdatedAt } = useInbox('waiting');
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const ago = Math.max(0, Math.round((now - dataUpdatedAt) / 1000));
  return <span>{ago < 2 ? 'Asked now' : `Asked ${ago > 600 ? 'long' : `${ago} s`} ago`}</span>;
}
