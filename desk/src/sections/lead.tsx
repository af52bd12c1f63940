/** What the list and the page of a lead share: its clock, the buttons with their keys and commands, and the note. */
import { type CSSProperties, useState } from 'react';
import { saveNote } from '../actions/leads.ts';
import { useOwner } from '../api/queries.ts';
import type { LeadRow, LeadState } from '../api/types.ts';
import { urgency } from '../lib/groups.ts';
import { capital, hour, timeLeft } from '../lib/words.ts';
import { Button, type ButtonProps } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon, type IconName } from '../ui/icon.tsx';
import marks from '../ui/marks.module.css';
import prose from '../ui/prose.module.css';

export const stateIcons: Record<LeadState | 'held', IconName> = {
  new: 'clock',
  answered: 'check',
  booked: 'calendar',
  closed: 'archive',
  spam: 'stop',
  held: 'lock',
};

/** A ring that drains over the promise; late, a filled disc with a hand. Leads that are dealt with have a word and an icon. */
export function Clock({ lead, now }: { lead: LeadRow; now: number }) {
  const { promise_hours } = useOwner();
  const kind = urgency(lead, now);
  if (lead.held || kind === 'done' || lead.due_at === null) {
    const state = lead.held ? 'held' : lead.state;
    return (
      <span className={marks.clock} data-kind="done">
        <Icon name={stateIcons[state]} />
        {state === 'new' ? 'Waiting' : capital(state)}
      </span>
    );
  }
  const due = Date.parse(lead.due_at);
  const share = Math.min(1, Math.max(0, (due - now) / (promise_hours * hour)));
  return (
    <span className={marks.clock} data-kind={kind} style={{ '--share': share } as CSSProperties}>
      {timeLeft(due, now, Date.parse(lead.created_at))}
    </span>
  );
}

/** `verb` is the shell command's. */
export const leadActions = {
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
  Object.fromEntries(states.map((state) => [leadActions[state].keys, () => set(state)]));

/** A lead in the list. */
export const leadRow = (id: string) => document.getElementById(`lead-${id}`);

export const leadCommand = (verb: string, { short_id }: LeadRow) =>
  `frontdoor leads ${verb} ${short_id}`;

type Props = ButtonProps & { lead: LeadRow; action: keyof typeof leadActions };

export function LeadButton({ lead, action, ...button }: Props) {
  const { label, keys, verb } = leadActions[action];
  return <Button label={label} keys={keys} command={leadCommand(verb, lead)} {...button} />;
}

export function NoteDialog({ lead, onClose }: { lead: LeadRow; onClose: () => void }) {
  const [before] = useState(lead.note ?? '');
  const save = (form: FormData) => {
    const note = String(form.get('note')).trim();
    onClose();
    if (note !== before) void saveNote(lead, note, before);
  };
  return (
    <Dialog
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
        defaultValue={before}
      />
      <p className={prose.aside}>Only people at this desk see it.</p>
    </Dialog>
  );
}
