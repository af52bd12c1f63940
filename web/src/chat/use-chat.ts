import { useEffect } from 'react';
import { readSettings } from '../lib/settings.ts';

/**
 * Brings in the chat assistant where the server's settings ask for one: after
 * the page has loaded and come to life, and never again on later pages.
 */
export function useChat() {
  useEffect(() => {
    const { chat } = readSettings();
    if (!chat) return;
    const start = () => {
      import('./start-chat.ts').then(({ startChat }) => startChat(chat)).catch(warn);
    };
    if (document.readyState === 'complete') return start();
    addEventListener('load', start, { once: true });
    return () => removeEventListener('load', start);
  }, []);
}

const warn = (reason: unknown) => console.warn('The chat assistant could not be loaded.', reason);
