import { useEffect } from 'react';
import { dismiss, forgetPast, undoLatest, useToasts } from '../actions/toasts.ts';
import { useNow } from '../lib/clock.ts';
import { latest, secondsLeft, type Undoable, undoWindow } from '../lib/undo.ts';
import { Icon } from '../ui/icon.tsx';
import { Keys } from '../ui/keys.tsx';
import prose from '../ui/prose.module.css';
import styles from './toast.module.css';

/** On the foot line, where it covers nothing that is read. Its sentence is spoken once, the seconds are not. */
export function Toast() {
  const { stack, notice } = useToasts();
  const now = useNow(stack.length > 0 ? 250 : 60_000);
  const undoable = latest(stack, now);
  useEffect(() => {
    if (stack.some(({ until }) => until <= now)) forgetPast();
  }, [stack, now]);
  return (
    <div className={styles.place}>
      <div role={notice?.isFault ? 'alert' : 'status'}>
        {notice && (
          <div className={styles.toast}>
            {notice.isFault && <Icon name="alert" />}
            <span>{notice.text}</span>
            {notice.tryAgain && (
              <button
                type="button"
                onClick={() => {
                  dismiss();
                  notice.tryAgain?.();
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
        )}
      </div>
      <div role="status">
        {undoable && <Reversible key={undoable.until} undoable={undoable} now={now} />}
      </div>
    </div>
  );
}

const around = 2 * Math.PI * 10.5;

function Reversible({ undoable, now }: { undoable: Undoable; now: number }) {
  const seconds = secondsLeft(undoable, now);
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
        <Keys keys={['z']} />
      </button>
    </div>
  );
}
