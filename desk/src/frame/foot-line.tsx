import { useEffect, useState } from 'react';
import { useInbox } from '../api/queries.ts';
import { useNow } from '../lib/server-time.ts';
import { useKeys } from '../lib/keyboard.ts';
import { shared } from '../lib/store.ts';
import { Button, CopyButton, Keys } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import prose from '../ui/prose.module.css';
import styles from './frame.module.css';

const commandOfPage = shared('');

/** Sets the shell command that does what this page does. */
export const useCommand = (command: string) =>
  useEffect(() => commandOfPage.set(command), [command]);

export function FootLine() {
  const page = commandOfPage.use();
  const [pointed, setPointed] = useState<string>();
  const [showsKeys, setShowsKeys] = useState(false);
  const close = () => setShowsKeys(false);
  useKeys({ '?': () => setShowsKeys(true) });
  // What the pointer or the focus is on shows its own command, else the page shows one.
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
        <Asked />
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
            <Button look="text" onClick={close}>
              Back to the page
            </Button>
          </p>
        </Dialog>
      )}
    </>
  );
}

function Asked() {
  const { dataUpdatedAt } = useInbox('waiting');
  useNow(1000);
  const ago = Math.max(0, Math.round((Date.now() - dataUpdatedAt) / 1000));
  return <span>{ago < 2 ? 'Asked now' : `Asked ${ago > 600 ? 'long' : `${ago} s`} ago`}</span>;
}

/** Next to each other in two columns. */
const keyHelp: [keys: string, what: string][] = [
  ['j k', 'Next, one before'],
  ['r', 'Reply'],
  ['Enter', 'Open'],
  ['a', 'Answered'],
  ['Esc', 'Back to the list'],
  ['b', 'Booked'],
  ['/', 'Search'],
  ['c', 'Close'],
  ['z', 'Undo, for ten seconds'],
  ['s', 'Spam'],
  ['n', 'Note'],
  ['Shift s', 'Not spam'],
  ['1 to 5', 'Inbox to Health'],
  ['Ctrl Enter', 'Send what you write'],
  ['?', 'These keys'],
];
