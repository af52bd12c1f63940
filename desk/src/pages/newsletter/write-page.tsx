import { useEffect, useState } from 'react';
import { act } from '../../actions/toasts.ts';
import { request } from '../../api/client.ts';
import { useOwner, useTimes } from '../../api/owner.ts';
import { updateCached, useNewsletter } from '../../api/queries.ts';
import type {
  IssuePreview,
  KeptDraft,
  Newsletter,
  OwnDraft,
  SubscriberRow,
} from '../../api/types.ts';
import { PageHead } from '../../frame/page-head.tsx';
import { useDraft } from '../../lib/draft.ts';
import { serverNow } from '../../lib/server-time.ts';
import { fieldTime, number, plural } from '../../lib/words.ts';
import { newsletterViews } from '../../routes.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Part, Table } from '../../ui/facts.tsx';
import { Field } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { MailFrame, usePreview } from '../../ui/mail-frame.tsx';
import prose from '../../ui/prose.module.css';
import { isRunning, Progress, sentOf } from './issues-page.tsx';
import styles from './newsletter.module.css';
import { Resume, Subscribers } from './subscribers-page.tsx';

const head = {
  title: 'Newsletter',
  command: 'frontdoor newsletter send issue.md',
  views: newsletterViews,
};

export function WritePage() {
  const { data } = useNewsletter();
  return data ? <Write newsletter={data} /> : <PageHead {...head} />;
}

async function saveDraft(text: string): Promise<void> {
  const { kept_at } = await request<KeptDraft>('PUT', 'newsletter/draft', { text });
  const saved = { text, kept_at, tested_text_is_current: false };
  await updateCached<Newsletter>(['newsletter'], (newsletter) => ({
    ...newsletter,
    draft: { ...newsletter.draft, ...saved },
  }));
}

const suspendedColumns = ['Address', "Server's reply", ''].map((label) => ({ label }));

const resume = (subscriber: SubscriberRow) => <Resume subscriber={subscriber} />;

function Write({ newsletter }: { newsletter: Newsletter }) {
  const { draft, counts, issues, suspended } = newsletter;
  const { site } = useOwner();
  const when = useTimes();
  const { text, setText, status, save } = useDraft(draft.text, saveDraft);
  const preview = usePreview<IssuePreview>('newsletter/preview', { text }, text.trim() !== '');
  // A changed text locks sending at once, before the server knows.
  const testedText = draft.tested_text_is_current ? draft.text : undefined;
  const [tested, setTested] = useState(testedText);
  useEffect(() => {
    if (testedText !== undefined) setTested(testedText);
  }, [testedText]);
  const isTested = tested === text;

  const running = issues.find(isRunning);
  const last = issues.find(({ state }) => state === 'done');
  const keptAt = draft.kept_at ? `draft kept at ${when(draft.kept_at).clock}` : '';
  const refused = plural(suspended.length, 'address', 'addresses');
  return (
    <>
      <PageHead
        {...head}
        command={`${head.command}${isTested ? '' : ` --test ${site.email}`}`}
        summary={
          <span className={prose.aside} role="status">
            {status || keptAt}
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
            onChange={(event) => setText(event.target.value)}
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
          {...{ draft, text, save, preview, isTested }}
          people={counts.confirmed - counts.suspended}
          onTested={() => setTested(text)}
        />
      )}
      <div className={styles.lower}>
        <Subscribers newsletter={newsletter} />
        <div>
          <Part
            title="Suspended"
            note={
              suspended.length > 0
                ? `${refused} that the mail servers refuse`
                : 'no address is refused'
            }
          >
            {suspended.length > 0 && (
              <Table
                columns={suspendedColumns}
                rows={suspended.map((each) => ({
                  cells: [each.email, each.refusal, resume(each)],
                }))}
              />
            )}
          </Part>
          {last && (
            <Part title="Last issue" note={last.at && when(last.at).full}>
              <p className={prose.small}>
                <b>{last.subject}</b> reached {sentOf(last)}. {last.problem}
              </p>
            </Part>
          )}
        </div>
      </div>
    </>
  );
}

interface SendLockProps {
  draft: OwnDraft;
  text: string;
  save: () => Promise<boolean>;
  preview: IssuePreview | undefined;
  isTested: boolean;
  people: number;
  onTested: () => void;
}

/** Sending is locked until the text is written and tested; a change after the test locks it again. */
function SendLock({ draft, text, save, preview, isTested, people, onTested }: SendLockProps) {
  const when = useTimes();
  const { zone } = useOwner().site;
  const [picksTime, setPicksTime] = useState(false);
  const problem = preview?.problem ?? null;
  const isEmpty = text.trim() === '';
  const isWritten = !isEmpty && preview?.problem === null;
  const isOpen = isWritten && isTested && people > 0;
  // The server keeps the time of the last test after the issue was sent.
  const testedAt = !isEmpty && draft.tested_at && when(draft.tested_at).clock;
  const test = async () => {
    if (isWritten && (await act('newsletter/test', ['newsletter'], { text }))) onTested();
  };
  // Saved first: a save after sending would make the text a draft again.
  const send = async (at: string | null) =>
    (await save()) && act('newsletter/send', ['newsletter'], { text, at });
  const steps = [
    {
      state: isWritten ? 'done' : 'now',
      what: isWritten ? 'Written' : problem ? 'Not ready yet' : 'Nothing is written yet',
      hint: problem ?? 'nothing is wrong with it',
    },
    isTested
      ? {
          state: 'done',
          what: testedAt ? `Tested at ${testedAt}` : 'Tested',
          hint: 'look at it in your mail',
        }
      : {
          state: isWritten ? 'now' : 'locked',
          what: testedAt ? `Changed since the ${testedAt} test` : 'Not tested yet',
          hint: testedAt ? 'one more unlocks sending' : 'a test unlocks sending',
        },
    {
      state: isOpen ? 'now' : 'locked',
      what: `Goes to ${plural(people, 'person', 'people')}`,
      hint: 'now, or at a time',
    },
  ];
  return (
    <section className={styles.lock} aria-label="Send">
      <ol>
        {steps.map(({ state, what, hint }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the steps keep their order.
          <li key={index} className={styles.step} data-state={state}>
            <span aria-hidden="true">
              {state === 'now' ? index + 1 : <Icon name={state === 'done' ? 'check' : 'lock'} />}
            </span>
            <p>
              {what}
              <span className={prose.aside}>{hint}</span>
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
              variant="primary"
              command="frontdoor newsletter send issue.md"
              onClick={() => send(null)}
            >
              Send to {number(people)} now
            </Button>
          </>
        ) : (
          <>
            <Button icon="lock" aria-disabled="true">
              Send to {number(people)}
            </Button>
            <Button variant="primary" aria-disabled={!isWritten} onClick={test}>
              Send a test to yourself
            </Button>
          </>
        )}
      </div>
      {picksTime && (
        <FormDialog
          title={`Send to ${plural(people, 'person', 'people')} later`}
          onClose={() => setPicksTime(false)}
          onSubmit={(form) => {
            setPicksTime(false);
            // The server reads it in the zone of the site.
            void send(String(form.get('at')));
          }}
          submit="Send then"
          variant="primary"
          cancel="Not now"
        >
          <Field
            label={`Day and time in the zone of the site, ${zone}`}
            type="datetime-local"
            name="at"
            required
            min={fieldTime(serverNow(), zone)}
          />
        </FormDialog>
      )}
    </section>
  );
}
