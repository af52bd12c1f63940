import { type FormEvent, type ReactNode, useState } from 'react';
import { useOwner } from '../../api/owner.ts';
import { clockTime } from '../../lib/time.ts';
import { plural } from '../../lib/words.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import prose from '../../ui/prose.module.css';
import styles from './send-lock.module.css';

interface Props {
  isWritten: boolean;
  problem: string | null;
  isTested: boolean;
  testedAt: string | null;
  people: number;
  test: () => void;
  send: (at: string | null) => void;
}

/** Written, tested, sent: a change after the test locks again and says so. */
export function SendLock(props: Props) {
  const { isWritten, isTested, people, problem } = props;
  const [picksTime, setPicksTime] = useState(false);
  const isOpen = isWritten && isTested && people > 0;
  return (
    <section className={styles.lock} aria-label="Send">
      <ol>
        <Step
          state={isWritten ? 'done' : 'now'}
          number={1}
          says={problem ?? 'nothing is wrong with it'}
        >
          {isWritten ? 'Written' : problem ? 'Not ready yet' : 'Nothing is written yet'}
        </Step>
        <Tested {...props} />
        <Step state={isOpen ? 'now' : 'locked'} number={3} says="now, or at a time">
          Goes to {people === 1 ? '1 person' : `${people.toLocaleString('en')} people`}
        </Step>
      </ol>
      <div className={styles.acts}>
        {isOpen ? (
          <>
            <Button
              icon="clock"
              command="frontdoor newsletter send issue.md --at TIME"
              onClick={() => setPicksTime(true)}
            >
              Send at a time …
            </Button>
            <Button
              look="go"
              command="frontdoor newsletter send issue.md"
              onClick={() => props.send(null)}
            >
              Send to {people.toLocaleString('en')} now
            </Button>
          </>
        ) : (
          <>
            <Button icon="lock" aria-disabled="true">
              Send to {people.toLocaleString('en')}
            </Button>
            <Button look="go" aria-disabled={!isWritten} onClick={() => isWritten && props.test()}>
              Send a test to yourself
            </Button>
          </>
        )}
      </div>
      {picksTime && <TimeDialog {...props} onClose={() => setPicksTime(false)} />}
    </section>
  );
}

function Tested({ isWritten, isTested, testedAt }: Props) {
  const { zone } = useOwner().site;
  const at = testedAt && clockTime(Date.parse(testedAt), zone);
  if (isTested)
    return (
      <Step state="done" number={2} says="look at it in your mail">
        Tested{at ? ` at ${at}` : ''}
      </Step>
    );
  return (
    <Step
      state={isWritten ? 'now' : 'locked'}
      number={2}
      says={at ? 'one more unlocks sending' : 'a test unlocks sending'}
    >
      {at ? `Changed since the ${at} test` : 'Not tested yet'}
    </Step>
  );
}

interface StepProps {
  state: 'done' | 'now' | 'locked';
  number: number;
  says: string;
  children: ReactNode;
}

const Step = ({ state, number, says, children }: StepProps) => (
  <li className={styles.step} data-state={state}>
    <span className={styles.dot} aria-hidden="true">
      {state === 'now' ? number : <Icon name={state === 'done' ? 'check' : 'lock'} />}
    </span>
    <p>
      {children}
      <span className={prose.aside}>{says}</span>
    </p>
  </li>
);

/** The field speaks of the browser's own time. */
function TimeDialog({ people, send, onClose }: Props & { onClose: () => void }) {
  const [at, setAt] = useState('');
  const later = (event: FormEvent) => {
    event.preventDefault();
    send(new Date(at).toISOString());
    onClose();
  };
  return (
    <Dialog title={`Send to ${plural(people, 'person', 'people')} later`} onClose={onClose}>
      <form className={styles.form} onSubmit={later}>
        <Field
          label="Day and time, by the clock of this browser"
          type="datetime-local"
          required
          min={localTime(Date.now())}
          value={at}
          onChange={(event) => setAt(event.target.value)}
        />
        <p className={styles.acts}>
          <Button look="go" type="submit">
            Send then
          </Button>
          <Button onClick={onClose}>Not now</Button>
        </p>
      </form>
    </Dialog>
  );
}

function localTime(at: number): string {
  const shift = new Date(at).getTimezoneOffset() * 60_000;
  return new Date(at - shift).toISOString().slice(0, 16);
}
