import words from 'content:chat';
import { Island } from '../ui/island.tsx';
import { ChatButton } from './chat-button.tsx';
import { templateId } from './start-chat.ts';

/** The button for the chat assistant, for the script to put up where the server's settings ask for it. */
export function ChatTemplate() {
  const { icon, label, note, loading, unavailable } = words;
  return (
    <template id={templateId}>
      <Island
        name="chat-button"
        wake="touch"
        component={ChatButton}
        words={{ label, note, loading, unavailable: unavailable.label }}
        props={{ icon, instead: unavailable.path }}
      />
    </template>
  );
}
