/** When the chat assistant comes: with the page, or when the visitor asks for it. */
import type { ChatSettings } from '../lib/settings.ts';
import { keepClear } from './keep-clear.ts';
import { forgetConversation, loadProvider, warn } from './provider.ts';

/** The button as the build made it (`app.tsx`). */
export const templateId = 'chat-template';

export function startChat(chat: ChatSettings) {
  forgetConversation(chat.project);
  if (chat.load === 'click') showButton();
  else loadProvider(chat).catch(warn);
}

function showButton() {
  const template = document.getElementById(templateId) as HTMLTemplateElement;
  document.body.append(template.content);
  const button = document.querySelector<HTMLElement>('[data-floats]');
  if (button) keepClear(button, () => button.getBoundingClientRect());
}
