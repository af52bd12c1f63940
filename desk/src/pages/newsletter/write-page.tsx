import { useEffect, useRef, useState } from 'react';
import { act } from '../../actions/leads.ts';
import { ask, post } from '../../api/client.ts';
import { useOwner, useTimes } from '../../api/owner.ts';
import { useNewsletter } from '../../api/queries.ts';
import type { IssuePreview, IssueRow, Newsletter } from '../../api/types.ts';
import { useCommand } from '../../frame/foot-line.tsx';
import { PageHead } from '../../frame/page-head.tsx';
import { useKeptDraft } from '../../lib/kept-draft.ts';
import { plural } from '../../lib/words.ts';
import { newsletterViews } from '../../routes.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Part, Table } from '../../ui/facts.tsx';
import { Field } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { MailFrame, usePreview } from '../../ui/mail-frame.tsx';
import prose from '../../ui/prose.module.css';
import { Growth } from './growth.tsx';
import { Progress } from './issues-page.tsx';
import styles from './newsletter.module.css';
import { Resume } from './subscribers-page.tsx';

export function WritePage() {
  const { data } = useNewsletter();
  if (!data) return <PageHead title="Newsletter" views={newsletterViews} />;
  return <Write newsletter={data} />;
}

function Write({ newsletter }: { newsletter: Newsletter }) {
  const { draft, counts, issues, suspended } = newsletter;
  const { site } = useOwner();
  const times = useTimes();
  const kept = useKeptDraft(draft.text, (text) => ask('PUT', 'newsletter/draft', { text }));
  const { text } = kept;
  const tested = useTestedText(draft);
  const isWritten = text.trim() !== '';
  const preview = usePreview<IssuePreview>('newsletter/preview', { text }, isWritten);
  const running = issues.find(({ state }) => state === 'sending' || state === 'paused');
  const isTested = tested.current === text;
  useCommand(`frontdoor newsletter send issue.md${isTested ? '' : ` --test ${site.email}`}`);

  const test = async () => {
    if (await act(() => post('newsletter/test', { text }), 'newsletter')) tested.current = text;
  };
  const send = (at: string | null) =>
    void act(() => post('newsletter/send', { text, at }), 'newsletter');
  const keptAt = draft.kept_at ? `draft kept at ${times.clock(draft.kept_at)}` : '';
  return (
    <>
      <PageHead
        title="Newsletter"
        views={newsletterViews}
        says={
          <span className={prose.aside} role="status">
            {kept.says || keptAt}
          </span>
        }
      />
      <div className={styles.issue}>
        <section className={styles.source} aria-labelledby="markdown">
          <header>
            <h2 id="markdown">Markdown</h2>
            <p className={prose.aside}>the first heading is the subject</p>
            <p>{preview ? plural(preview.words, 'word') : ''}</p>
          </header>
          <textarea
            aria-label="The issue in Markdown"
            placeholder={'# What this issue is about\n\nThe text, in Markdown.'}
            value={text}
            onChange={(event) => kept.setText(event.target.value)}
          />
        </section>
        <section className={styles.real} aria-labelledby="mail">
          <MailFrame heading={<h2 id="mail">The mail itself</h2>} url={preview?.url} />
        </section>
      </div>
      {running ? (
        <Progress issue={running} />
      ) : (
        <SendLock
          isWritten={isWritten && preview?.problem === null}
          problem={preview?.problem ?? null}
          isTested={isTested}
          testedAt={draft.tested_at && times.clock(draft.tested_at)}
          people={counts.confirmed}
          test={() => void test()}
          send={send}
        />
      )}
      <div className={styles.lower}>
        <Growth newsletter={newsletter} />
        <div>
          <Part
            title="Suspended"
            says={
              suspended.length > 0
                ? `${plural(suspended.length, 'address', 'addresses')} that the mail servers refuse`
                : 'no address is refused'
            }
          >
            {suspended.length > 0 && (
              <Table columns={['Address', 'What was said', '']}>
                {suspended.map((subscriber) => (
                  <tr key={subscriber.id}>
                    <th scope="row">{subscriber.email}</th>
                    <td>{subscriber.says}</td>
                    <td>
                      <Resume subscriber={subscriber} />
                    </td>
                  </tr>
                ))}
              </Table>
            )}
          </Part>
          <LastIssue issues={issues} />
        </div>
      </div>
    </>
  );
}

/** What the last test showed: any other text locks sending again at once, before the server hears of it. */
function useTestedText({ text, tested_text_is_current }: Newsletter['draft']) {
  const tested = useRef<string | undefined>(tested_text_is_current ? text : undefined);
  useEffect(() => {
    if (tested_text_is_current) tested.current = text;
  }, [text, tested_text_is_current]);
  return tested;
}

function LastIssue({ issues }: { issues: IssueRow[] }) {
  const times = useTimes();
  const issue = issues.find(({ state }) => state === 'done');
  if (!issue) return null;
  const all = issue.sent + issue.refused + issue.unsure + issue.left;
  return (
    <Part title="Last issue" says={issue.at && times.full(issue.at)}>
      <p className={prose.small}>
        <b>{issue.subject}</b> reached {issue.sent.toLocaleString('en')} of{' '}
        {all.toLocaleString('en')}. {issue.says}
      </p>
    </Part>
  );
}

interface SendLockProps {
  isWritten: boolean;
  problem: string | null;
  isTested: boolean;
  testedAt: string | null;
  people: number;
  test: () => void;
  send: (at: string | null) => void;
}

/** Written, tested, sent: a change after the test locks again and says so. */
function SendLock(props: SendLockProps) {
  const { isWritten, problem, isTested, testedAt, people, test, send } = props;
  const [picksTime, setPicksTime] = useState(false);
  const isOpen = isWritten && isTested && people > 0;
  const number = people.toLocaleString('en');
  const untested = testedAt
    ? [`Changed since the ${testedAt} test`, 'one more unlocks sending']
    : ['Not tested yet', 'a test unlocks sending'];
  const steps = [
    {
      state: isWritten ? 'done' : 'now',
      what: isWritten ? 'Written' : problem ? 'Not ready yet' : 'Nothing is written yet',
      says: problem ?? 'nothing is wrong with it',
    },
    isTested
      ? {
          state: 'done',
          what: testedAt ? `Tested at ${testedAt}` : 'Tested',
          says: 'look at it in your mail',
        }
      : { state: isWritten ? 'now' : 'locked', what: untested[0], says: untested[1] },
    {
      state: isOpen ? 'now' : 'locked',
      what: `Goes to ${people === 1 ? '1 person' : `${number} people`}`,
      says: 'now, or at a time',
    },
  ];
  return (
    <section className={styles.lock} aria-label="Send">
      <ol>
        {steps.map(({ state, what, says }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the steps keep their order.
          <li key={index} className={styles.step} data-state={state}>
            <span aria-hidden="true">
              {state === 'now' ? index + 1 : <Icon name={state === 'done' ? 'check' : 'lock'} />}
            </span>
            <p>
              {what}
              <span className={prose.aside}>{says}</span>
            </p>
          </li>
        ))}
      </ol>
      <div className={prose.row}>
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
              onClick={() => send(null)}
            >
              Send to {number} now
            </Button>
          </>
        ) : (
          <>
            <Button icon="lock" aria-disabled="true">
              Send to {number}
            </Button>
            <Button look="go" aria-disabled={!isWritten} onClick={() => isWritten && test()}>
              Send a test to yourself
            </Button>
          </>
        )}
      </div>
      {picksTime && <TimeDialog {...{ people, send }} onClose={() => setPicksTime(false)} />}
    </section>
  );
}

type TimeProps = Pick<SendLockProps, 'people' | 'send'> & { onClose: () => void };

/** The field speaks of the browser's own time. */
function TimeDialog({ people, send, onClose }: TimeProps) {
  const [at, setAt] = useState('');
  const later = () => {
    send(new Date(at).toISOString());
    onClose();
  };
  return (
    <FormDialog
      title={`Send to ${plural(people, 'person', 'people')} later`}
      onClose={onClose}
      onSubmit={later}
      back="Not now"
      submit={
        <Button look="go" type="submit">
          Send then
        </Button>
      }
    >
      <Field
        label="Day and time, by the clock of this browser"
        type="datetime-local"
        required
        min={localTime(Date.now())}
        value={at}
        onChange={(event) => setAt(event.target.value)}
      />
    </FormDialog>
  );
}

function localTime(at: number): string {
  const shift = new Date(at).getTimezoneOffset() * 60_000;
  return new Date(at - shift).toISOString().slice(0, 16);
}
