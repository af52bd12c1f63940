/** The issue that is written, the issues that went out, and the subscribers. */
import { useReducer, useState } from 'react';
import { act, notifyFailure, offerUndo, type Undoable } from '../../actions/toasts.ts';
import {
  isRunning,
  post,
  refresh,
  request,
  updateCached,
  useNewsletter,
  useOwner,
  useSubscribers,
  useTimes,
} from '../../api/queries.ts';
import type * as Api from '../../api/types.ts';
import { PageHead } from '../../frame/frame.tsx';
import { useDraft } from '../../lib/draft.ts';
import { serverNow } from '../../lib/page.ts';
import { fieldTime, number, plural } from '../../lib/words.ts';
import { paths } from '../../routes.ts';
import { MailFrame, usePreview } from '../../sections/mail-frame.tsx';
import { GrowthChart, ProofButton } from '../../sections/subscribers.tsx';
import { Button, Dialog, Field, Icon, type IconName, SearchField } from '../../ui/controls.tsx';
import { Empty, Facts, Part, Table } from '../../ui/parts.tsx';
import ui from '../../ui/ui.module.css';
import styles from './newsletter.module.css';

const head = {
  title: 'Newsletter',
  views: [
    { label: 'Write', path: paths.newsletter },
    { label: 'Issues', path: paths.issues },
    { label: 'Subscribers', path: paths.subscribers },
  ],
};
const sendCommand = 'frontdoor newsletter send issue.md';

export function WritePage() {
  const { data } = useNewsletter();
  return data ? <Write newsletter={data} /> : <PageHead {...head} command={sendCommand} />;
}

async function saveDraft(text: string, before: string): Promise<void> {
  const body = { text, before };
  const { kept_at } = await request<Api.KeptDraft>('PUT', 'newsletter/draft', body);
  await updateCached<Api.Newsletter>(['newsletter'], (newsletter) => ({
    ...newsletter,
    draft: { ...newsletter.draft, text, kept_at },
    tested_text_is_current: newsletter.tested_text_is_current && newsletter.draft.text === text,
  }));
}

/** The text becomes the draft again if the issue is called back. */
async function sendIssue(text: string, at: string | null): Promise<void> {
  try {
    const body = { text, at };
    const { id, leaves_at, message } = await post<Api.LeavingIssue>('newsletter/send', body);
    const reverse = () => post(`newsletter/issues/${id}/cancel`);
    const leaves: Partial<Undoable> = { verb: 'Call it back', until: Date.parse(leaves_at) };
    offerUndo({ message, reverse, ...(at === null && leaves) });
  } catch (error) {
    void notifyFailure(error);
  } finally {
    refresh('newsletter');
  }
}

function Write({ newsletter }: { newsletter: Api.Newsletter }) {
  const { draft, issues, suspended } = newsletter;
  const when = useTimes();
  const { text, setText, status, save } = useDraft(draft.text, saveDraft);
  const preview = usePreview<Api.IssuePreview>('newsletter/preview', { text }, text.trim() !== '');
  // A changed text locks sending at once, before the server knows.
  const isTested = newsletter.tested_text_is_current && draft.text === text;
  const running = issues.find(isRunning);
  const last = issues.find(({ state }) => state === 'done');
  const keptAt = draft.kept_at ? `draft kept at ${when(draft.kept_at).clock}` : '';
  const refused = `${plural(suspended.length, 'address', 'addresses')} that the mail servers refuse`;
  return (
    <>
      <PageHead
        {...head}
        command={`${sendCommand}${isTested ? '' : ' --test ADDRESS'}`}
        note={<span role="status">{status || keptAt}</span>}
      />
      <div className={styles.issue}>
        <section className={styles.source} aria-labelledby="markdown">
          <header>
            <h2 id="markdown">Markdown</h2>
            <p className={ui.aside}>the first heading is the subject</p>
            <p>{preview && plural(preview.words, 'word')}</p>
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
      {running && <Progress issue={running} />}
      <SendLock {...{ newsletter, text, save, preview, isTested }} />
      <div className={styles.lower}>
        <Subscribers newsletter={newsletter} />
        <div>
          <Part title="Suspended" note={suspended.length > 0 ? refused : 'none'}>
            {suspended.length > 0 && (
              <Table
                columns={['Address', "Server's reply", '']}
                rows={suspended.map((each) => [each.email, each.refusal ?? '', resumeButton(each)])}
              />
            )}
          </Part>
          {last && (
            <Part title="Last issue" note={last.first_sent_at && when(last.first_sent_at).full}>
              <p className={ui.small}>
                <b>{last.subject}</b> reached {sentOf(last)}. {last.last_error}
              </p>
            </Part>
          )}
        </div>
      </div>
    </>
  );
}

interface SendLockProps {
  newsletter: Api.Newsletter;
  text: string;
  save: (isDraft: boolean) => Promise<boolean>;
  preview: Api.IssuePreview | undefined;
  isTested: boolean;
}

/** Sending is locked until the text is written and tested; a change after the test locks it again. */
function SendLock({ newsletter, text, save, preview, isTested }: SendLockProps) {
  const { draft, counts } = newsletter;
  const when = useTimes();
  const { zone } = useOwner().site;
  const [picksTime, setPicksTime] = useState(false);
  const people = counts.confirmed - counts.suspended;
  const problem = preview?.problem ?? null;
  const isEmpty = text.trim() === '';
  const isWritten = !isEmpty && preview?.problem === null;
  const isOpen = isWritten && isTested && people > 0;
  // The server keeps the time of the last test after the issue was sent.
  const testedAt = !isEmpty && draft.tested_at && when(draft.tested_at).clock;
  // Saved first: a save afterwards would make the text an untested draft again. Another browser's text is refused then.
  const test = async () => (await save(true)) && act('newsletter/test', ['newsletter'], { text });
  const send = async (at: string | null) => (await save(true)) && sendIssue(text, at);
  const steps = [
    {
      state: isWritten ? 'done' : 'now',
      what: isWritten ? 'Written' : problem ? 'Not ready yet' : 'Nothing written yet',
      hint: problem ?? (isWritten ? 'ready to test' : 'the first heading is the subject'),
    },
    isTested
      ? { state: 'done', what: `Tested at ${testedAt}`, hint: 'look at it in your mail' }
      : {
          state: isWritten ? 'now' : 'locked',
          what: testedAt ? `Changed since the ${testedAt} test` : 'Not tested yet',
          hint: testedAt ? 'one more unlocks sending' : 'a test unlocks sending',
        },
    {
      state: isOpen ? 'now' : 'locked',
      what: `Goes to ${plural(people, 'person', 'people')}`,
      hint: 'now or later',
    },
  ];
  return (
    <section className={styles.lock} aria-label="Send">
      <ol>
        {steps.map(({ state, what, hint }, index) => (
          <li key={what} className={styles.step} data-state={state}>
            <span aria-hidden="true">
              {state === 'now' ? index + 1 : <Icon name={state === 'done' ? 'check' : 'lock'} />}
            </span>
            <p>
              {what}
              <span className={ui.under}>{hint}</span>
            </p>
          </li>
        ))}
      </ol>
      <div className={ui.row}>
        {isOpen ? (
          <>
            <Button
              label="Send later …"
              icon="clock"
              command={`${sendCommand} --at TIME`}
              onClick={() => setPicksTime(true)}
            />
            <Button
              label={`Send to ${number(people)} now`}
              variant="primary"
              command={sendCommand}
              onClick={() => send(null)}
            />
          </>
        ) : (
          <Button label={`Send to ${number(people)}`} icon="lock" locked />
        )}
        {/* Always in the same place: a second press doesn't send the issue to everybody. */}
        <Button
          label="Send a test to yourself"
          variant={isOpen ? 'plain' : 'primary'}
          locked={!isWritten}
          onClick={test}
        />
      </div>
      {picksTime && (
        <Dialog
          title={`Send to ${plural(people, 'person', 'people')} later`}
          onClose={() => setPicksTime(false)}
          onSubmit={(form) => {
            setPicksTime(false);
            // The server reads it in the zone of the site.
            void send(String(form.get('at')));
          }}
          submit="Schedule"
          variant="primary"
          cancel="Cancel"
        >
          <Field
            label={`Day and time in the zone of the site, ${zone}`}
            type="datetime-local"
            name="at"
            required
            min={fieldTime(serverNow(), zone)}
          />
        </Dialog>
      )}
    </section>
  );
}

const issueStates: Record<Api.IssueRow['state'], { word: string; icon: IconName }> = {
  scheduled: { word: 'Goes out', icon: 'clock' },
  sending: { word: 'Going out since', icon: 'mail' },
  paused: { word: 'Paused', icon: 'clock' },
  done: { word: 'Sent', icon: 'check' },
  unfinished: { word: 'Not finished', icon: 'clock' },
  cancelled: { word: 'Called off', icon: 'cross' },
  given_up: { word: 'Given up', icon: 'alert' },
};

/** "132 of 214" */
const sentOf = ({ sent, refused, unsure, left }: Api.IssueRow) =>
  `${number(sent)} of ${number(sent + refused + unsure + left)}`;

function result(issue: Api.IssueRow): string {
  const { state, sent, left } = issue;
  if (state === 'scheduled') return `It will go to ${plural(left, 'person', 'people')}.`;
  if (state !== 'cancelled') return `Accepted for ${sentOf(issue)}.`;
  return sent > 0 ? `${number(sent)} got it before it was called off.` : 'Nobody got it.';
}

export function IssuesPage() {
  const { data } = useNewsletter();
  return (
    <>
      <PageHead {...head} command="frontdoor newsletter list" />
      {data?.issues.length === 0 && (
        <Empty
          title="No issue was sent yet"
          next="Issues you send appear here with their results."
        />
      )}
      <ul className={styles.issues}>
        {data?.issues.map((issue) => (
          <Issue key={issue.id} issue={issue} />
        ))}
      </ul>
    </>
  );
}

function Issue({ issue }: { issue: Api.IssueRow }) {
  const when = useTimes();
  const { id, subject, state, unsure, last_error, refusals } = issue;
  const at = issue.send_at ?? issue.first_sent_at;
  return (
    <li>
      <article>
        <header>
          <h2>{subject}</h2>
          <p className={state === 'given_up' ? ui.fault : ui.aside}>
            <Icon name={issueStates[state].icon} /> {issueStates[state].word}
            {at && ['scheduled', 'sending', 'done'].includes(state) && ` ${when(at).full}`}
          </p>
        </header>
        {!isRunning(issue) && (
          <p className={ui.small}>
            {result(issue)} {unsure > 0 && `${unsure} may or may not have arrived. `}
            {last_error}
          </p>
        )}
        {state === 'scheduled' && (
          <p>
            <Button
              label="Call it off"
              small
              command={`frontdoor newsletter cancel ${id}`}
              onClick={control(issue, 'cancel')}
            />
          </p>
        )}
        {refusals.length > 0 && (
          <details>
            <summary className={ui.link}>Refused: {refusals.length}</summary>
            <Facts rows={refusals.map(({ email, code }) => ({ label: code, value: email }))} />
          </details>
        )}
      </article>
      {isRunning(issue) && <Progress issue={issue} />}
    </li>
  );
}

const control = (issue: Api.IssueRow, how: 'pause' | 'resume' | 'cancel') => () =>
  act(`newsletter/issues/${issue.id}/${how}`, ['newsletter']);

function Progress({ issue }: { issue: Api.IssueRow }) {
  const { sent, refused, unsure, left, state } = issue;
  const isPaused = state === 'paused';
  const gone = sent + refused + unsure;
  return (
    <section className={styles.progress} aria-label={`Sending ${issue.subject}`}>
      <div>
        <p role="status">
          <b>{sentOf(issue)}</b> are sent{refused > 0 && `, ${refused} refused`}
          {unsure > 0 && `, ${plural(unsure, 'mail')} may or may not have arrived`}.{' '}
          {isPaused ? `Paused, ${number(left)} to go.` : issue.last_error}
        </p>
        <progress aria-label="Sent" value={gone} max={gone + left} />
        <p className={ui.aside}>{issue.subject}</p>
      </div>
      <div className={ui.row}>
        <Button label="Call off the rest" onClick={control(issue, 'cancel')} />
        {isPaused ? (
          <Button label="Go on" variant="primary" onClick={control(issue, 'resume')} />
        ) : (
          <Button label="Pause" onClick={control(issue, 'pause')} />
        )}
      </div>
    </section>
  );
}

export function SubscribersPage() {
  const [q, setQ] = useState('');
  const found = useSubscribers(q);
  const newsletter = useNewsletter().data;
  const when = useTimes();
  const subscribers = found.data?.pages.flatMap((page) => page.subscribers) ?? [];
  const stateOf = (subscriber: Api.SubscriberRow) => (
    <>
      {subscriber.suspended ? 'suspended' : subscriber.state}
      {subscriber.refusal && <span className={ui.under}>{subscriber.refusal}</span>}
      {subscriber.suspended && resumeButton(subscriber)}
    </>
  );
  const proof = ({ id, email }: Api.SubscriberRow) => <ProofButton id={id} email={email} />;
  return (
    <>
      <PageHead {...head} command="frontdoor subscribers list">
        <SearchField placeholder="Address" q={q} search={setQ} />
      </PageHead>
      <div className={styles.people}>
        {newsletter && !q && <Subscribers newsletter={newsletter} />}
        {found.data && subscribers.length === 0 ? (
          <Empty
            title={q ? `No address has “${q}”` : 'Nobody has subscribed yet'}
            next={q ? 'Parts of addresses are searched.' : 'Confirmed subscribers appear here.'}
          />
        ) : (
          <Table
            columns={['Address', 'State', { label: 'Since', isMinor: true }, 'Consent']}
            rows={subscribers.map((each) => [
              each.email,
              stateOf(each),
              when(each.since).date,
              proof(each),
            ])}
          />
        )}
        {found.hasNextPage && (
          <p>
            <Button label="Show more" onClick={() => found.fetchNextPage()} />
          </p>
        )}
      </div>
    </>
  );
}

function Subscribers({ newsletter }: { newsletter: Api.Newsletter }) {
  const { counts, growth, gained_in_30_days: more } = newsletter;
  const [asTable, toggle] = useReducer((shown) => !shown, false);
  const change = `${Math.abs(more)} ${more > 0 ? 'more' : 'fewer'}`;
  return (
    <Part
      title="Subscribers"
      end={
        growth.length > 1 && (
          <Button label={asTable ? 'Chart' : 'Table'} variant="text" onClick={toggle} />
        )
      }
    >
      <p className={ui.figure}>
        <span className={ui.big}>{number(counts.confirmed)}</span>
        <span>
          confirmed
          {more !== 0 && (
            <>
              , <b>{change}</b> than 30 days ago
            </>
          )}
        </span>
      </p>
      <GrowthChart growth={growth} asTable={asTable} />
      <p className={ui.aside}>
        {plural(counts.pending, 'person hasn’t', 'people haven’t')} confirmed yet,{' '}
        {plural(counts.unsubscribed, 'person has', 'people have')} unsubscribed.
      </p>
    </Part>
  );
}

const resumeButton = ({ id, email }: Api.SubscriberRow) => (
  <Button
    label="Resume"
    about={email}
    variant="text"
    command={`frontdoor subscribers resume ${email}`}
    onClick={() => act(`subscribers/${id}/resume`, ['newsletter', 'subscribers'])}
  />
);
