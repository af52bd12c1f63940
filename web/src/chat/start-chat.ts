/** When the chat assistant comes: with the page, or when the visitor asks for it. */
import type { ChatSettings } from '../lib/settings.ts';
import { forgetConversation, loadProvider, openProvider } from './provider.ts';

export async function startChat(chat: ChatSettings): Promise<void> {
  forgetConversation(chat.project);
  if (chat.load !== 'click') return loadProvider(chat);

  const { askFirst } = await import('./chat-button.tsx');
  return askFirst(async () => {
    await loadProvider(chat);
    await openProvider();
  });
}
