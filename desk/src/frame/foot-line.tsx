import { useEffect, useState } from 'react';
import { useInbox } from '../api/queries.ts';
import { useKeys } from '../lib/keyboard.ts';
import { useNow } from '../lib/server-time.ts';
import { ago } from '../lib/words.ts';
import { Button, CopyButton, Keys } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import prose from '../ui/prose.module.css';
import styles from './frame.module.css';
import { commandOfPage } from './page-head.tsx';

/** Shows the command of the control under the pointer or in focus, or else that of the page. */
export function FootLine() {
  const page = commandOfPage.use();
  const [pointed, setPointed] = useState<string>();
  const [showsKeys, setShowsKeys] = useState(false);
  const { dataUpdatedAt } = useInbox('waiting');
  // Renders again, so that "2 min ago" stays true.
  useNow();
  useKeys({ '?': () => setShowsKeys(true) });
  useEffect(() => {
    const unmounted = new AbortController();
    const point = ({ target }: Event) => {
      if (!(target instanceof Element) || target.closest('footer')) return;
      setPointed(target.closest<HTMLElement>('[data-command]')?.dataset.command);
    };
    for (const event of ['pointerover', 'focusin'])
      document.addEventListener(event, point, unmounted);
    return () => unmounted.abort();
  }, []);
  const command = pointed ?? page;
  return (
    <>
      <footer className={styles.foot}>
        <span className={prose.hidden}>The command that does the same:</span>
        <code>{command}</code>
        <CopyButton command={command} />
        <span>{dataUpdatedAt > 0 && `Updated ${ago(dataUpdatedAt)}`}</span>
        <button type="button" aria-keyshortcuts="?" onClick={() => setShowsKeys(true)}>
          Keys <Keys keys="?" />
        </button>
      </footer>
      {showsKeys && <KeyHelp onClose={() => setShowsKeys(false)} />}
    </>
  );
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

const KeyHelp = ({ onClose }: { onClose: () => void }) => (
  <Dialog title="Keys" onClose={onClose}>
    <dl className={styles.keyHelp}>
      {keyHelp.map(([keys, what]) => (
        <div key={what}>
          <dt>
            {keys.split(' ').map((key) => (key === 'to' ? ' to ' : <kbd key={key}>{key}</kbd>))}
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
    <p className={prose.aside}>
      Letters do nothing while you write.{' '}
      <Button variant="text" onClick={onClose}>
        Back to the page
      </Button>
    </p>
  </Dialog>
);
