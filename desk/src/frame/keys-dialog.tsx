import { keyHelp } from '../lib/keys.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import prose from '../ui/prose.module.css';
import styles from './keys-dialog.module.css';

export const KeysDialog = ({ onClose }: { onClose: () => void }) => (
  <Dialog title="Keys" onClose={onClose}>
    <dl className={styles.keys}>
      {keyHelp.map(([keys, what]) => (
        <div key={what}>
          <dt>{keys.map((key) => (key === '–' ? ' to ' : <kbd key={key}>{key}</kbd>))}</dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
    <p className={prose.aside}>
      Letters do nothing while you write.{' '}
      <Button look="text" onClick={onClose}>
        Back to the page
      </Button>
    </p>
  </Dialog>
);
