import {
  dismiss,
  type Notice,
  toasts,
  type Undoable,
  undoLatest,
  undoWindow,
} from '../actions/toasts.ts';
import { useNow } from '../lib/clock.ts';
import { Keys } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import prose from '../ui/prose.module.css';
import styles from './frame.module.css';

/** On the foot line, where it covers nothing that is read. Its sentence is spoken once, the seconds are not. */
export function Toast() {
  const { undoable, notice } = toasts.use();
  const latest = undoable.at(-1);
  return (
    <div className={styles.toasts}>
      <div role={notice?.isFault ? 'alert' : 'status'}>{notice && <Told notice={notice} />}</div>
      <div role="status">{latest && <Reversible key={latest.until} undoable={latest} />}</div>
    </div>
  );
}

const Told = ({ notice: { text, isFault, tryAgain } }: { notice: Notice }) => (
  <div className={styles.toast}>
    {isFault && <Icon name="alert" />}
    <span>{text}</span>
    {tryAgain && (
      <button
        type="button"
        onClick={() => {
          dismiss();
          tryAgain();
        }}
      >
        Try again
      </button>
    )}
    <button type="button" onClick={dismiss}>
      <Icon name="cross" />
      <span className={prose.hidden}>Dismiss</span>
    </button>
  </div>
);

const around = 2 * Math.PI * 10.5;

/** The ring shows whole seconds, so that it is read, not watched. */
function Reversible({ undoable }: { undoable: Undoable }) {
  const seconds = Math.max(0, Math.ceil((undoable.until - useNow(250)) / 1000));
  const share = seconds / (undoWindow / 1000);
  return (
    <div className={styles.toast}>
      <span>{undoable.said}</span>
      <span className={styles.count} aria-hidden="true">
        <svg viewBox="0 0 24 24" role="presentation">
          <circle cx="12" cy="12" r="10.5" />
          <circle cx="12" cy="12" r="10.5" strokeDasharray={`${share * around} ${around}`} />
        </svg>
        {seconds}
      </span>
      <button type="button" aria-keyshortcuts="z" onClick={() => void undoLatest()}>
        {undoable.verb}
        <Keys keys="z" />
      </button>
    </div>
  );
}
