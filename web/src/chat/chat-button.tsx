/**
 * Our own button for the chat assistant: says whose service it is, and nothing
 * of that service is asked for before it is pressed.
 */
import words from 'content:chat';
import { useEffect, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Icon } from '../ui/icon.tsx';
import styles from './chat-button.module.css';
import { keepClear } from './keep-clear.ts';

type ChatState = 'ready' | 'loading' | 'unavailable';

/** Shows the button. Settles when its work has: the button goes, or says that there is no chat. */
export function askFirst(work: () => Promise<void>): Promise<void> {
  const place = document.body.appendChild(document.createElement('aside'));
  place.ariaLabel = words.label;
  place.dataset.screenOnly = '';
  const root = createRoot(place);
  return new Promise((resolve, reject) => {
    const onPress = async () => {
      try {
        await work();
      } catch (reason) {
        reject(reason);
        throw reason;
      }
      root.unmount();
      place.remove();
      resolve();
    };
    root.render(<ChatButton onPress={onPress} />);
  });
}

function ChatButton({ onPress }: { onPress: () => Promise<void> }) {
  const [state, setState] = useState<ChatState>('ready');
  const box = useRef<HTMLDivElement>(null);
  const instead = useRef<HTMLAnchorElement>(null);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const watch = new AbortController();
    keepClear(element, () => element.getBoundingClientRect(), watch.signal);
    return () => watch.abort();
  }, []);

  useEffect(() => {
    if (state === 'unavailable') instead.current?.focus({ preventScroll: true });
  }, [state]);

  async function press() {
    if (state !== 'ready') return;
    setState('loading');
    await onPress().catch(() => setState('unavailable'));
  }

  return (
    <div ref={box} className={styles.place}>
      {state === 'unavailable' ? (
        <a ref={instead} className={styles.button} href={words.unavailable.path}>
          {words.unavailable.label}
        </a>
      ) : (
        <button
          type="button"
          className={styles.button}
          aria-disabled={state === 'loading'}
          onClick={press}
        >
          <Icon path={words.icon} size={22} />
          <span>
            <span className={styles.label}>
              {state === 'loading' ? words.loading : words.label}
            </span>{' '}
            <span className={styles.note}>{words.note}</span>
          </span>
        </button>
      )}
      <span className="visually-hidden" role="status">
        {state === 'loading' && words.loading}
      </span>
    </div>
  );
}
