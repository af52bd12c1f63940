import { useLocation } from 'wouter';
import type { LeadRow, LeadState } from '../../api/types.ts';
import { paths } from '../../routes.ts';
import { Button } from '../../ui/button.tsx';
import styles from './state-buttons.module.css';

interface Props {
  lead: LeadRow;
  replying: boolean;
  mark: (state: LeadState) => void;
  openNote: () => void;
}

const buttons: { state: LeadState; label: string; key: string; command: string }[] = [
  { state: 'answered', label: 'Answered', key: 'a', command: 'answered' },
  { state: 'booked', label: 'Booked', key: 'b', command: 'booked' },
  { state: 'closed', label: 'Close', key: 'c', command: 'close' },
  { state: 'spam', label: 'Spam', key: 's', command: 'spam' },
];

/** What it is stays pressed; to press it again makes it wait again. */
export function StateButtons({ lead, replying, mark, openNote }: Props) {
  const [, go] = useLocation();
  const shell = (command: string) => `frontdoor leads ${command} ${lead.short_id}`;
  return (
    <div className={styles.acts}>
      <Button
        aria-pressed={replying}
        keys={['r']}
        command={shell('reply')}
        onClick={() => go(replying ? paths.lead(lead.id) : paths.reply(lead.id))}
      >
        Reply
      </Button>
      {buttons.map(({ state, label, key, command }) => {
        const isSo = lead.state === state;
        return (
          <Button
            key={state}
            aria-pressed={isSo}
            keys={[key]}
            command={shell(isSo ? 'reopen' : command)}
            onClick={() => mark(isSo ? 'new' : state)}
          >
            {label}
          </Button>
        );
      })}
      <Button keys={['n']} command={shell('note')} onClick={openNote}>
        Note
      </Button>
    </div>
  );
}
