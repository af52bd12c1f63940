import { useContent } from '../content/context.ts';
import { Island } from '../ui/island.tsx';
import { ChatButton } from './chat-button.tsx';
import { templateId } from './start-chat.ts';

/** The button for the chat assistant, for the script to put up where the server's settings ask for it. */
export function ChatTemplate() {
  const { chat } = useContent().pages;
  return (
    <template id={templateId}>
      <Island name="chat-button" component={ChatButton} props={{ words: chat }} />
    </template>
  );
}
