import { saveNote } from '../actions/leads.ts';
import type { LeadRow } from '../api/types.ts';
import { FormDialog } from '../ui/dialog.tsx';
import prose from '../ui/prose.module.css';

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
      command={`frontdoor leads note ${lead.short_id}`}
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
