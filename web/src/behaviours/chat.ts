/** Starts the chat assistant if the server's settings ask for one: after the page has loaded, once for all pages. */
import { readSettings } from '../lib/settings.ts';

export function chat() {
  const { chat: settings } = readSettings();
  if (!settings) return;
  const start = () =>
    import('../chat/provider.ts')
      .then(({ startChat }) => startChat(settings))
      .catch((error) => console.warn(error));
  if (document.readyState === 'complete') start();
  else addEventListener('load', start, { once: true });
}
