import { type FormEvent, useState } from 'react';
import { keepNote } from '../actions/leads.ts';
import type { LeadRow } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import prose from '../ui/prose.module.css';
import styles from './note-dialog.module.css';

export function NoteDialog({ lead, onClose }: { lead: LeadRow; onClose: () => void }) {
  const [note, setNote] = useState(lead.note ?? '');
  const keep = (event?: FormEvent) => {
    event?.preventDefault();
    onClose();
    if (note.trim() !== (lead.note ?? '')) void keepNote(lead, note.trim());
  };
  return (
    <Dialog title={`A note on ${lead.name}`} onClose={onClose}>
      <form className={styles.form} onSubmit={keep}>
        <label className={prose.hidden} htmlFor="note">
          Note
        </label>
        <textarea
          id="note"
          rows={4}
          maxLength={2000}
          dir="auto"
          value={note}
          onChange={(event) => setNote(event.target.value)}
          onKeyDown={(event) => event.key === 'Enter' && (event.ctrlKey || event.metaKey) && keep()}
        />
        <p className={prose.aside}>Only people at this desk see it.</p>
        <p className={styles.acts}>
          <Button
            look="go"
            type="submit"
            keys={['Ctrl', 'Enter']}
            command={`frontdoor leads note ${lead.short_id}`}
          >
            Keep
          </Button>
          <Button onClick={onClose}>Leave as it was</Button>
        </p>
      </form>
    </Dialog>
  );
}
