import { type ReactNode, useEffect, useState } from 'react';
import { forget, recordSeen, release, setState } from '../../actions/leads.ts';
import { asProblem, useLead, useOwner, useTimes, useWaiting } from '../../api/queries.ts';
import type { LeadPage, LeadRow, LeadState } from '../../api/types.ts';
import { usePage } from '../../frame/frame.tsx';
import { useKeys, useNow } from '../../lib/page.ts';
import { isWaiting, otherWriter } from '../../lib/urgency.ts';
import { plural } from '../../lib/words.ts';
import { go, lastPlace, paths } from '../../routes.ts';
import {
  Clock,
  DeliveryList,
  LeadButton,
  leadCommand,
  NoteDialog,
  stateKeys,
  states,
} from '../../sections/lead.tsx';
import { ProofButton } from '../../sections/subscribers.tsx';
import { Button, ButtonLink, Chip, Dialog, Field } from '../../ui/controls.tsx';
import { Empty, Facts, Part } from '../../ui/parts.tsx';
import ui from '../../ui/ui.module.css';
import { Composer, NoMail } from './composer.tsx';
import styles from './lead.module.css';

/** `replying`: on a phone the reply is a page of its own, elsewhere it gets the focus. */
export function LeadView({ id, replying = false }: { id: string; replying?: boolean }) {
  const { data: page, error } = useLead(id);
  const isGone = error !== null && asProblem(error).status === 404;
  if (page && !isGone) return <OpenLead page={page} replying={replying} />;
  if (!isGone) return null;
  return (
    <Empty title="This lead doesn’t exist" next="It was forgotten, or the link is wrong." isPage>
      <ButtonLink label="Back to the list" href={lastPlace.address} />
    </Empty>
  );
}

function OpenLead({ page, replying }: { page: LeadPage; replying: boolean }) {
  const { lead, position } = page;
  const { number, of, next, previous } = position ?? {};
  const { can_mail } = useOwner();
  const [dialog, setDialog] = useState<'note' | 'more'>();
  const other = otherWriter(useWaiting(), lead);
  usePage(lead.name, leadCommand('show', lead));
  useEffect(() => {
    lastPlace.lead = lead.id;
  }, [lead.id]);
  useEffect(() => {
    if (!lead.seen) void recordSeen(lead.id);
  }, [lead.seen, lead.id]);

  /** Then goes to the next waiting lead if this one was waiting, or to the held ones if it was held. */
  const mark = async (state: LeadState) => {
    const wasWaiting = isWaiting(lead);
    const done = await setState(lead, state, ({ message, next }) =>
      wasWaiting && next ? `${message} This is the next one.` : message,
    );
    if (done && lead.held) go(paths.held);
    else if (done && wasWaiting) go(done.next ? paths.lead(done.next) : paths.inbox);
  };
  const notSpam = lead.held || lead.state === 'spam' ? () => void release(lead) : undefined;
  const changeNote = () => setDialog('note');
  const openMore = () => setDialog('more');
  const close = () => setDialog(undefined);
  const back = replying ? paths.lead(lead.id) : lastPlace.address;
  useKeys({
    j: () => next && go(paths.lead(next)),
    k: () => previous && go(paths.lead(previous)),
    escape: () => go(back),
    r: () => go(paths.reply(lead.id)),
    n: changeNote,
    'shift+s': notSpam,
    ...stateKeys(mark),
  });

  /** The button of the current state is pressed; pressing it again reopens the lead. */
  const stateButton = (state: (typeof states)[number]) => (
    <LeadButton
      key={state}
      {...{ lead, action: state }}
      {...(lead.state === state && { command: leadCommand('reopen', lead) })}
      aria-pressed={lead.state === state}
      onClick={() => mark(lead.state === state ? 'new' : state)}
    />
  );
  const neighbours = [
    { id: previous, about: 'Previous lead', icon: 'up', keys: 'k' },
    { id: next, about: 'Next lead', icon: 'down', keys: 'j' },
  ] as const;
  const reply = () => go(replying ? paths.lead(lead.id) : paths.reply(lead.id));
  return (
    <div className={styles.page} data-replying={replying}>
      <header className={styles.bar}>
        <ButtonLink
          label="Back"
          variant="quiet"
          icon="left"
          href={back}
          aria-keyshortcuts="Escape"
        />
        {replying && <h1 className={styles.replyTitle}>Reply to {lead.name}</h1>}
        <span className={ui.aside}>{position && `${number} of ${of} waiting`}</span>
        {other && <Chip label={`${other.name} is writing`} icon="pen" present />}
        <div className={styles.end}>
          <span className={ui.wide}>
            <Button label="Export, forget" variant="quiet" icon="more" onClick={openMore} />
          </span>
          {neighbours.map(
            ({ id, ...link }) =>
              id && <ButtonLink key={id} variant="quiet" href={paths.lead(id)} {...link} />,
          )}
        </div>
      </header>
      <div className={styles.two}>
        <LeadDetails page={page} changeNote={changeNote} notSpam={notSpam}>
          <LeadButton lead={lead} action="reply" aria-pressed={replying} onClick={reply} />
          {states.map(stateButton)}
          <LeadButton lead={lead} action="note" onClick={changeNote} />
        </LeadDetails>
        {can_mail ? <Composer page={page} replying={replying} /> : <NoMail page={page} />}
      </div>
      <div className={styles.phoneActions}>
        <Button label="Reply" variant="primary" icon="reply" onClick={reply} />
        {states.slice(0, 2).map(stateButton)}
        <Button label="More" icon="more" onClick={openMore} />
      </div>
      {dialog === 'note' && <NoteDialog lead={lead} onClose={close} />}
      {dialog === 'more' && <MoreDialog lead={lead} onClose={close} />}
    </div>
  );
}

interface LeadDetailsProps {
  page: LeadPage;
  children: ReactNode;
  changeNote: () => void;
  notSpam: (() => void) | undefined;
}

function LeadDetails({ page, children, changeNote, notSpam }: LeadDetailsProps) {
  const { lead, spam } = page;
  const now = useNow();
  const when = useTimes();
  const score = spam.score.toFixed(1).replace('-', '−');
  return (
    <div className={styles.theirs}>
      <div className={styles.person}>
        <div>
          <h1 className={ui.title} dir="auto">
            {lead.name}
          </h1>
          <p className={styles.contact}>
            <a className={ui.link} href={`mailto:${lead.email}`}>
              {lead.email}
            </a>
            {lead.phone && (
              <a className={ui.link} href={`tel:${lead.phone.replace(/[^+\d]/g, '')}`}>
                {lead.phone}
              </a>
            )}
          </p>
        </div>
        <p className={styles.promise}>
          <Clock lead={lead} now={now} />
          <span className={ui.aside}>{promiseText(page, when)}</span>
        </p>
      </div>

      <div className={styles.acts}>{children}</div>

      <div className={styles.message} dir="auto">
        {lead.message.split(/\n{2,}/).map((paragraph, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a message does not change.
          <p key={index}>{paragraph}</p>
        ))}
      </div>
      <p className={ui.aside}>{originText(page, when)}</p>

      {lead.note && (
        <p className={styles.note} dir="auto">
          {lead.note}
          <Button label="Change" variant="text" onClick={changeNote} />
        </p>
      )}
      <EarlierContacts page={page} />
      <Part title={spam.verdict} note={`score ${score}, held from ${spam.held_from.toFixed(1)}`}>
        <p className={ui.small}>{spam.reasons.join(' ') || 'Nothing in it looks like spam.'}</p>
        {notSpam && (
          <p className={ui.row}>
            <LeadButton small lead={lead} action="notSpam" onClick={notSpam} />
            {lead.held && <span className={ui.aside}>What was held back then goes out.</span>}
          </p>
        )}
      </Part>
      <Part title="Deliveries">
        <DeliveryList deliveries={page.deliveries} />
      </Part>
      <Part title="History">
        <Facts
          rows={page.history.map(({ at, who, what }) => ({
            label: when(at).short,
            value: who ? `${who} ${what}` : what,
          }))}
        />
        <p className={ui.aside}>
          Short id, for the command line: <code>{lead.short_id}</code>
        </p>
      </Part>
    </div>
  );
}

type Times = ReturnType<typeof useTimes>;

function promiseText({ lead, reply }: LeadPage, when: Times): string {
  if (lead.held) return 'back for you to decide';
  if (isWaiting(lead) && reply.leaving) return 'answered once the reply has left';
  if (isWaiting(lead) && lead.due_at) return `promised by ${when(lead.due_at).full}`;
  // The state stands before it.
  return lead.outcome?.replace(new RegExp(`^${lead.state} ?`, 'i'), '') ?? '';
}

const forms: Record<string, string> = { homepage: 'home page form', contact: 'contact form' };

function originText({ lead }: LeadPage, when: Times): string {
  const from = lead.origin ? `From ${lead.origin}` : 'Came directly';
  const landed = lead.landing_path ? `, landed on ${lead.landing_path}` : '';
  const campaign = lead.campaign ? `, campaign ${lead.campaign}` : '';
  return `${when(lead.created_at).full}, ${forms[lead.form] ?? lead.form}. ${from}${landed}${campaign}`;
}

/** What the same person sent before, and whether they get the newsletter. */
function EarlierContacts({ page: { lead, before, subscriber } }: { page: LeadPage }) {
  const when = useTimes();
  if (before.length === 0 && !subscriber) return null;
  const messages = before.map(({ id, created_at, excerpt, outcome }) => ({
    label: when(created_at).date,
    value: (
      <a className={ui.link} href={paths.lead(id)} dir="auto">
        “{excerpt}”
      </a>
    ),
    end: <span className={ui.low}>{outcome}</span>,
  }));
  const newsletter = subscriber && {
    label: when(subscriber.since).date,
    value: `Newsletter: ${subscriber.state}`,
    end: <ProofButton id={subscriber.id} email={lead.email} />,
  };
  const parts = [
    messages.length > 0 && plural(messages.length, 'message'),
    newsletter && 'subscriber',
  ];
  return (
    <Part title="Before" note={parts.filter(Boolean).join(', ')}>
      <Facts rows={newsletter ? [...messages, newsletter] : messages} />
    </Part>
  );
}

/** Forgetting is the only action that asks for confirmation, because it is the only one that cannot be undone. */
function MoreDialog({ lead, onClose }: { lead: LeadRow; onClose: () => void }) {
  const [forgets, setForgets] = useState(false);
  const [problem, setProblem] = useState('');
  if (!forgets)
    return (
      <Dialog title={lead.name} onClose={onClose}>
        <ButtonLink
          label={`Export what ${lead.email} sent`}
          icon="download"
          href={`/api/desk/export.csv?${new URLSearchParams({ view: 'all', email: lead.email })}`}
          download
          onClick={onClose}
        />
        <Button label="Forget this person …" icon="alert" onClick={() => setForgets(true)} />
      </Dialog>
    );
  return (
    <Dialog
      key="forget"
      title={`Forget ${lead.name}`}
      onClose={onClose}
      onSubmit={(form) =>
        forget(lead, String(form.get('email'))).then(onClose, ({ message }) => setProblem(message))
      }
      submit="Forget for good"
      command={`frontdoor leads forget ${lead.email}`}
      cancel="Cancel"
    >
      <p>
        Everything about this person is removed for good: messages, notes, deliveries, and the
        subscription with its proof. Backups keep it until they are replaced.
      </p>
      <Field
        label={`Type ${lead.email} to confirm`}
        type="email"
        name="email"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        required
        aria-describedby="forget-problem"
      />
      <p id="forget-problem" role="alert" className={ui.fault}>
        {problem}
      </p>
    </Dialog>
  );
}
