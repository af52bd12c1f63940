/** What pages share about leads: the clock, the buttons with their keys and commands, the note, the deliveries. */
import { type CSSProperties, useState } from 'react';
import { saveNote } from '../actions/leads.ts';
import { act } from '../actions/toasts.ts';
import { useOwner, useTimes } from '../api/queries.ts';
import type { DeliveryRow, LeadRow, LeadState } from '../api/types.ts';
import { urgency } from '../lib/urgency.ts';
import { capital, hour, timeLeft } from '../lib/words.ts';
import { Button, type ButtonProps, Dialog, Icon } from '../ui/controls.tsx';
import { Facts } from '../ui/parts.tsx';
import ui from '../ui/ui.module.css';

/** A ring that drains over the promise; late, a filled disc with a hand. Leads that are dealt with have a word and an icon. */
export function Clock({ lead, now }: { lead: LeadRow; now: number }) {
  const { promise_hours } = useOwner();
  const kind = urgency(lead, now);
  if (lead.held || kind === 'done' || lead.due_at === null) {
    const { held, state } = lead;
    return (
      <span className={ui.clock} data-kind="done">
        <Icon name={held ? 'lock' : state === 'new' ? 'clock' : leadActions[state].icon} />
        {held ? 'Held' : state === 'new' ? 'Waiting' : capital(state)}
      </span>
    );
  }
  const due = Date.parse(lead.due_at);
  const share = Math.min(1, Math.max(0, (due - now) / (promise_hours * hour)));
  return (
    <span className={ui.clock} data-kind={kind} style={{ '--share': share } as CSSProperties}>
      {timeLeft(due, now, Date.parse(lead.created_at))}
    </span>
  );
}

/** `verb` is the shell command's. The icons are seen on a phone. */
export const leadActions = {
  reply: { label: 'Reply', keys: 'r', verb: 'reply' },
  answered: { label: 'Answered', keys: 'a', verb: 'answered', icon: 'check' },
  booked: { label: 'Booked', keys: 'b', verb: 'booked', icon: 'calendar' },
  closed: { label: 'Close', keys: 'c', verb: 'close', icon: 'archive' },
  spam: { label: 'Spam', keys: 's', verb: 'spam', icon: 'stop' },
  notSpam: { label: 'Not spam', keys: 'Shift s', verb: 'release' },
  note: { label: 'Note', keys: 'n', verb: 'note' },
} as const;

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
  const { verb, ...look } = leadActions[action];
  return <Button command={leadCommand(verb, lead)} {...look} {...button} />;
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
      title={`Note on ${lead.name}`}
      onClose={onClose}
      onSubmit={save}
      submit="Save note"
      variant="primary"
      keys="Ctrl Enter"
      command={leadCommand('note', lead)}
      cancel="Cancel"
    >
      <textarea
        aria-label="Note"
        name="note"
        rows={4}
        maxLength={2000}
        dir="auto"
        defaultValue={before}
      />
      <p className={ui.aside}>Only people at this desk see it.</p>
    </Dialog>
  );
}

/** Without an id it tries all deliveries again. */
export function RetryButton({ id }: { id?: string }) {
  const path = id ? `deliveries/${id}/retry` : 'deliveries/retry-all';
  return (
    <Button
      label={id ? 'Try now' : 'Try all now'}
      small
      command={`frontdoor deliveries retry ${id ?? '--all'}`}
      onClick={() => act(path, ['lead', 'health', 'summary'])}
    />
  );
}

export function DeliveryList({ deliveries }: { deliveries: DeliveryRow[] }) {
  const when = useTimes();
  if (deliveries.length === 0) return <p className={ui.aside}>Nothing was sent.</p>;
  return (
    <Facts
      rows={deliveries.map(({ id, what, summary, at, failing, can_retry }) => ({
        label: what,
        value: <span className={failing ? ui.fault : undefined}>{summary}</span>,
        end: can_retry ? (
          <RetryButton id={id} />
        ) : (
          at && <span className={ui.low}>{when(at).short}</span>
        ),
      }))}
    />
  );
}
