import { tell } from '../actions/toasts.ts';
import styles from './command.module.css';
import { Icon } from './icon.tsx';
import prose from './prose.module.css';

export async function copy(text: string, said: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    tell(said);
  } catch {
    tell('The browser does not let the desk copy it.');
  }
}

export const CopyButton = ({ command }: { command: string }) => (
  <button
    type="button"
    className={styles.copy}
    onClick={() => copy(command, 'The command is copied.')}
  >
    <Icon name="copy" />
    <span className={prose.hidden}>Copy the command {command}</span>
  </button>
);

/** A command to run on the server. */
export const Command = ({ command }: { command: string }) => (
  <span className={styles.box}>
    <code>{command}</code>
    <CopyButton command={command} />
  </span>
);

/** A sentence of the server, in which commands stand between back ticks. */
export const WithCode = ({ children }: { children: string }) =>
  children.split('`').map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence keep their order.
    index % 2 === 1 ? <code key={index}>{part}</code> : part,
  );
