import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { tell } from '../../actions/toasts.ts';
import { asProblem, post } from '../../api/client.ts';
import { queries, refresh } from '../../api/queries.ts';
import type { LeadRow } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import prose from '../../ui/prose.module.css';
import { lastPlace } from '../inbox/last-place.ts';
import styles from './forget-dialog.module.css';

/** The one thing that cannot be undone, and so the one that asks. */
export function ForgetDialog({ lead, onClose }: { lead: LeadRow; onClose: () => void }) {
  const [, go] = useLocation();
  const [email, setEmail] = useState('');
  const [problem, setProblem] = useState('');
  const forget = async (event: FormEvent) => {
    event.preventDefault();
    try {
      const { said } = await post(`leads/${lead.id}/forget`, { email: email.trim() });
      queries.removeQueries({ queryKey: ['lead', lead.id] });
      refresh('inbox', 'newsletter', 'subscribers');
      onClose();
      go(lastPlace.address);
      tell(said);
    } catch (error) {
      setProblem(asProblem(error).message);
    }
  };
  return (
    <Dialog title={`Forget ${lead.name}`} onClose={onClose}>
      <form className={styles.form} onSubmit={forget}>
        <p>
          Everything about this person is removed for good: messages, notes, deliveries, and the
          subscription with its proof. Backups keep it until they are replaced.
        </p>
        <Field
          label={`Type ${lead.email} to confirm`}
          type="email"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          required
          aria-describedby="forget-problem"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <p id="forget-problem" role="alert" className={prose.fault}>
          {problem}
        </p>
        <p className={styles.acts}>
          <Button type="submit" command={`frontdoor leads forget ${lead.email}`}>
            Forget for good
          </Button>
          <Button look="bare" onClick={onClose}>
            Keep
          </Button>
        </p>
      </form>
    </Dialog>
  );
}
