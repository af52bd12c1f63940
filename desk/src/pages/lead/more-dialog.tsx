import { release } from '../../actions/leads.ts';
import type { LeadRow, LeadState } from '../../api/types.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import styles from './more-dialog.module.css';

/** What can stand above a lead. */
export type LeadDialog = 'note' | 'more' | 'forget';

interface Props {
  lead: LeadRow;
  mark: (state: LeadState) => void;
  open: (dialog: LeadDialog) => void;
  onClose: () => void;
}

/** What is seldom needed; on a phone also what has no room under the thumb. */
export function MoreDialog({ lead, mark, open, onClose }: Props) {
  const exported = new URLSearchParams({ view: 'all', q: lead.email });
  return (
    <Dialog title={lead.name} onClose={onClose}>
      <div className={styles.choices}>
        <span className={styles.phone}>
          {lead.state !== 'new' && <Button onClick={() => mark('new')}>Waiting again</Button>}
          {lead.state !== 'closed' && (
            <Button icon="archive" onClick={() => mark('closed')}>
              Close
            </Button>
          )}
          {lead.state !== 'spam' && (
            <Button icon="stop" onClick={() => mark('spam')}>
              Spam
            </Button>
          )}
          {(lead.held || lead.state === 'spam') && (
            <Button
              onClick={() => {
                onClose();
                void release(lead);
              }}
            >
              Not spam
            </Button>
          )}
          <Button icon="pen" onClick={() => open('note')}>
            Note
          </Button>
        </span>
        <ButtonLink
          icon="download"
          href={`/api/desk/export.csv?${exported}`}
          download
          onClick={onClose}
        >
          Export what {lead.email} sent
        </ButtonLink>
        <Button icon="alert" onClick={() => open('forget')}>
          Forget this person …
        </Button>
        <Button look="bare" onClick={onClose}>
          Back
        </Button>
      </div>
    </Dialog>
  );
}
