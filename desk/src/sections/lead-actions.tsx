/** What the owner does with a lead, in the list and on its page: the buttons, their keys and commands, and the note. */
import { saveNote } from '../actions/leads.ts';
import type { LeadRow, LeadState } from '../api/types.ts';
import { Button, type ButtonProps } from '../ui/button.tsx';
import { FormDialog } from '../ui/dialog.tsx';
import prose from '../ui/prose.module.css';

/** `verb` is the shell command's. */
const actions = {
  reply: { label: 'Reply', keys: 'r', verb: 'reply' },
  answered: { label: 'Answered', keys: 'a', verb: 'answered' },
  booked: { label: 'Booked', keys: 'b', verb: 'booked' },
  closed: { label: 'Close', keys: 'c', verb: 'close' },
  spam: { label: 'Spam', keys: 's', verb: 'spam' },
  notSpam: { label: 'Not spam', keys: 'Shift s', verb: 'release' },
  note: { label: 'Note', keys: 'n', verb: 'note' },
};

/** The states that have a button. */
export const states = ['answered', 'booked', 'closed', 'spam'] as const;

export const stateKeys = (set: (state: LeadState) => unknown) =>
  Object.fromEntries(states.map((state) => [actions[state].keys, () => set(state)]));

export const leadCommand = (verb: string, lead: LeadRow) =>
  `frontdoor leads ${verb} ${lead.short_id}`;

type Props = Omit<ButtonProps, 'children'> & { lead: LeadRow; action: keyof typeof actions };

export function LeadButton({ lead, action, ...button }: Props) {
  const { label, keys, verb } = actions[action];
  return (
    <Button keys={keys} command={leadCommand(verb, lead)} {...button}>
      {label}
    </Button>
  );
}

export function NoteDialog({ lead, onClose }: { lead: LeadRow; onClose: () => void }) {
  const save = (form: FormData) => {
    const note = String(form.get('note')).trim();
    onClose();
    if (note !== (lead.note ?? '')) void saveNote(lead, note);
  };
  return (
    <FormDialog
      title={`A note on ${lead.name}`}
      onClose={onClose}
      onSubmit={save}
      submit="Keep"
      variant="primary"
      keys="Ctrl Enter"
      command={leadCommand('note', lead)}
      cancel="Leave as it was"
    >
      <textarea
        aria-label="Note"
        name="note"
        rows={4}
        maxLength={2000}
        dir="auto"
        defaultValue={lead.note ?? ''}
      />
      <p className={prose.aside}>Only people at this desk see it.</p>
    </FormDialog>
  );
}
