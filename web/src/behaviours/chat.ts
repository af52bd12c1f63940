/**
 * Brings in the chat assistant where the server's settings ask for one: after
 * the page has loaded and come to life, and never again on later pages.
 */
import { readSettings } from '../lib/settings.ts';

export function chat() {
  const { chat: settings } = readSettings();
  if (!settings) return;
  const start = () =>
    import('../chat/start-chat.ts')
      .then(({ startChat }) => startChat(settings))
      .catch((error) => console.warn(error));
  if (document.readyState === 'complete') start();
  else addEventListener('load', start, { once: true });
}
