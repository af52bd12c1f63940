import { useEffect, useState } from 'react';
import { useInbox } from '../api/queries.ts';
import { useKeys } from '../lib/keyboard.ts';
import { useNow } from '../lib/server-time.ts';
import { useIsShown } from '../lib/shown.ts';
import { createStore } from '../lib/store.ts';
import { ago } from '../lib/time.ts';
import { Button, CopyButton, Keys } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import prose from '../ui/prose.module.css';
import styles from './frame.module.css';

const commandOfPage = createStore('');

/** Sets the shell command that shows what this page shows. */
export function useCommand(command: string): void {
  const isShown = useIsShown();
  useEffect(() => {
    if (isShown) commandOfPage.set(command);
  }, [command, isShown]);
}

export function FootLine() {
  const page = commandOfPage.use();
  const [pointed, setPointed] = useState<string>();
  const [showsKeys, setShowsKeys] = useState(false);
  const close = () => setShowsKeys(false);
  useKeys({ '?': () => setShowsKeys(true) });
  // Shows the command of the control under the pointer or in focus, or else that of the page.
  useEffect(() => {
    const point = ({ target }: Event) => {
      if (!(target instanceof Element) || target.closest('footer')) return;
      setPointed(target.closest<HTMLElement>('[data-command]')?.dataset.command);
    };
    document.addEventListener('pointerover', point);
    document.addEventListener('focusin', point);
    return () => {
      document.removeEventListener('pointerover', point);
      document.removeEventListener('focusin', point);
    };
  }, []);
  const command = pointed ?? page;
  return (
    <>
      <footer className={styles.foot}>
        <span className={prose.hidden}>The command that does the same:</span>
        <code>{command}</code>
        <CopyButton command={command} />
        <LastUpdate />
        <button type="button" aria-keyshortcuts="?" onClick={() => setShowsKeys(true)}>
          Keys <Keys keys="?" />
        </button>
      </footer>
      {showsKeys && (
        <Dialog title="Keys" onClose={close}>
          <dl className={styles.keyHelp}>
            {keyHelp.map(([keys, what]) => (
              <div key={what}>
                <dt>
                  {keys
                    .split(' ')
                    .map((key) => (key === 'to' ? ' to ' : <kbd key={key}>{key}</kbd>))}
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
          <p className={prose.aside}>
            Letters do nothing while you write.{' '}
            <Button variant="text" onClick={close}>
              Back to the page
            </Button>
          </p>
        </Dialog>
      )}
    </>
  );
}

/** How old the data on the page is. */
function LastUpdate() {
  const { dataUpdatedAt } = useInbox('waiting');
  useNow();
  return <span>{dataUpdatedAt > 0 && `Updated ${ago(dataUpdatedAt)}`}</span>;
}

/** In two columns, row by row. */
const keyHelp: [keys: string, what: string][] = [
  ['j', 'Next lead'],
  ['r', 'Reply'],
  ['k', 'Previous lead'],
  ['a', 'Answered'],
  ['Enter', 'Open'],
  ['b', 'Booked'],
  ['Esc', 'Back to the list'],
  ['c', 'Close'],
  ['/', 'Search'],
  ['s', 'Spam'],
  ['z', 'Undo, for ten seconds'],
  ['Shift s', 'Not spam'],
  ['1 to 5', 'Inbox to Health'],
  ['n', 'Note'],
  ['?', 'These keys'],
  ['Ctrl Enter', 'Send what you write'],
];
