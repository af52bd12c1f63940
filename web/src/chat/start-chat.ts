/** When the chat assistant comes: with the page, or when the visitor asks for it. */
import { forgetConversation, loadProvider, openProvider } from './provider.ts';

/** Written by `src/http/chat.rs`. */
export async function startChat(meta: HTMLMetaElement): Promise<void> {
  const { script = '', runtime = '', load } = meta.dataset;
  const provider = { projectId: meta.content, script, runtime };
  forgetConversation(provider.projectId);
  if (load !== 'click') return loadProvider(provider);

  const { askFirst } = await import('./chat-button.tsx');
  return askFirst(async () => {
    await loadProvider(provider);
    await openProvider();
  });
}
