/**
 * Our own button for the chat assistant: it says whose service it is, and loads nothing from there before it is pressed.
 * Without its script it leads to the contact page.
 */
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { PageContent } from '../content/types.ts';
import { readSettings } from '../lib/settings.ts';
import { Icon } from '../ui/icon.tsx';
import styles from './chat-button.module.css';
import { loadProvider, openProvider, warn } from './provider.ts';

type ChatState = 'ready' | 'loading' | 'unavailable' | 'open';

export function ChatButton({ words }: { words: PageContent['chat'] }) {
  const { icon, unavailable } = words;
  const [state, setState] = useState<ChatState>('ready');
  const fallbackLink = useRef<HTMLAnchorElement>(null);

  useEffect(() => {
    if (state === 'unavailable') fallbackLink.current?.focus({ preventScroll: true });
  }, [state]);

  async function press(event: FormEvent) {
    event.preventDefault();
    const { chat } = readSettings();
    if (state !== 'ready' || !chat) return;
    setState('loading');
    try {
      await loadProvider(chat);
      await openProvider();
      setState('open');
    } catch (reason) {
      warn(reason);
      setState('unavailable');
    }
  }

  if (state === 'open') return null;
  return (
    <aside aria-label={words.label} data-screen-only>
      <div className={styles.place} data-floats>
        {state === 'unavailable' ? (
          <a ref={fallbackLink} className={styles.button} href={unavailable.path}>
            {unavailable.label}
          </a>
        ) : (
          <form action={unavailable.path} onSubmit={press}>
            <button type="submit" className={styles.button} aria-disabled={state === 'loading'}>
              <Icon path={icon} size={22} />
              <span>
                <span className={styles.label}>
                  {state === 'loading' ? words.loading : words.label}
                </span>{' '}
                <span className={styles.note}>{words.note}</span>
              </span>
            </button>
          </form>
        )}
        <span className="visually-hidden" role="status">
          {state === 'loading' && words.loading}
        </span>
      </div>
    </aside>
  );
}
