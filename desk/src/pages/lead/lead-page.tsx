import { type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { release, setState } from '../../actions/leads.ts';
import { notify } from '../../actions/toasts.ts';
import { asProblem, post } from '../../api/client.ts';
import { useOwner, useTimes } from '../../api/owner.ts';
import { leadQuery, queries, refresh, useLead } from '../../api/queries.ts';
import type { LeadPage, LeadRow, LeadState } from '../../api/types.ts';
import { useCommand } from '../../frame/foot-line.tsx';
import { useTitle } from '../../frame/page-head.tsx';
import { isWaiting } from '../../lib/groups.ts';
import { useKeys } from '../../lib/keyboard.ts';
import { plural } from '../../lib/words.ts';
import { lastPlace, paths } from '../../routes.ts';
import { DeliveryList } from '../../sections/delivery-list.tsx';
import { NoteDialog } from '../../sections/note-dialog.tsx';
import { ProofDialog } from '../../sections/proof-dialog.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Clock } from '../../ui/clock.tsx';
import { Dialog, FormDialog } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Fact, Facts, Part } from '../../ui/facts.tsx';
import { Field } from '../../ui/field.tsx';
import prose from '../../ui/prose.module.css';
import { Composer, NoMail } from './composer.tsx';
import styles from './lead.module.css';

/** `replying`: on a phone the reply is a page of its own, elsewhere it gets the focus. */
export function LeadView({ id, replying = false }: { id: string; replying?: boolean }) {
  const { data: page, error } = useLead(id);
  const isGone = error !== null && asProblem(error).status === 404;
  if (page && !isGone) return <OpenLead page={page} replying={replying} />;
  if (!isGone) return null;
  return (
    <Empty title="This lead is not here" isPage>
      <p>It was forgotten, or the link is wrong.</p>
      <ButtonLink href={lastPlace.address}>Back to the list</ButtonLink>
    </Empty>
  );
}

/** `verb` is the shell command's. */
const states = [
  { state: 'answered', label: 'Answered', key: 'a', verb: 'answered', icon: 'check' },
  { state: 'booked', label: 'Booked', key: 'b', verb: 'booked', icon: 'calendar' },
  { state: 'closed', label: 'Close', key: 'c', verb: 'close', icon: 'archive' },
  { state: 'spam', label: 'Spam', key: 's', verb: 'spam', icon: 'stop' },
] as const;

function OpenLead({ page, replying }: { page: LeadPage; replying: boolean }) {
  const { lead, position } = page;
  const { next, previous } = position ?? {};
  const { can_mail } = useOwner();
  const [, go] = useLocation();
  const [dialog, setDialog] = useState<'note' | 'more' | 'forget'>();
  useTitle(lead.name);

  useMarkAsSeen(lead);
  usePrefetchedLead(next);

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
  const close = () => setDialog(undefined);
  const back = replying ? paths.lead(lead.id) : lastPlace.address;
  const command = (verb: string) => `frontdoor leads ${verb} ${lead.short_id}`;
  useCommand(command('show'));
  useKeys({
    j: () => next && go(paths.lead(next)),
    k: () => previous && go(paths.lead(previous)),
    escape: () => go(back),
    r: () => go(paths.reply(lead.id)),
    n: changeNote,
    'shift+s': notSpam,
    ...Object.fromEntries(states.map(({ key, state }) => [key, () => mark(state)])),
  });

  /** The button of the current state is pressed; pressing it again reopens the lead. */
  const stateButton = ({ state, label, key, verb, icon }: (typeof states)[number]) => {
    const isCurrent = lead.state === state;
    return (
      <Button
        key={state}
        icon={icon}
        aria-pressed={isCurrent}
        keys={key}
        command={command(isCurrent ? 'reopen' : verb)}
        onClick={() => mark(isCurrent ? 'new' : state)}
      >
        {label}
      </Button>
    );
  };
  const reply = () => go(replying ? paths.lead(lead.id) : paths.reply(lead.id));
  return (
    <div className={styles.page} data-replying={replying}>
      <LeadBar page={page} replying={replying} back={back} openMore={() => setDialog('more')} />
      <div className={styles.two}>
        <LeadDetails page={page} changeNote={changeNote} notSpam={notSpam}>
          <Button aria-pressed={replying} keys="r" command={command('reply')} onClick={reply}>
            Reply
          </Button>
          {states.map(stateButton)}
          <Button keys="n" command={command('note')} onClick={changeNote}>
            Note
          </Button>
        </LeadDetails>
        {can_mail ? <Composer page={page} replying={replying} /> : <NoMail page={page} />}
      </div>
      <div className={styles.phoneActions}>
        <Button variant="primary" icon="reply" onClick={reply}>
          Reply
        </Button>
        {states.slice(0, 2).map(stateButton)}
        <Button icon="more" onClick={() => setDialog('more')}>
          More
        </Button>
      </div>
      {dialog === 'note' && <NoteDialog lead={lead} onClose={close} />}
      {dialog === 'forget' && <ForgetDialog lead={lead} onClose={close} />}
      {dialog === 'more' && (
        <MoreDialog lead={lead} forget={() => setDialog('forget')} onClose={close} />
      )}
    </div>
  );
}

function useMarkAsSeen({ id, seen }: LeadRow): void {
  useEffect(() => {
    if (!seen)
      void post(`leads/${id}/seen`).then(
        () => refresh('inbox'),
        () => {},
      );
  }, [seen, id]);
}

function usePrefetchedLead(id: string | null | undefined): void {
  useEffect(() => {
    if (id) void queries.prefetchQuery(leadQuery(id));
  }, [id]);
}

interface LeadBarProps {
  page: LeadPage;
  replying: boolean;
  back: string;
  openMore: () => void;
}

/** The bar above a lead: back to the list, its place among the waiting ones, and the leads next to it. */
function LeadBar({ page: { lead, position }, replying, back, openMore }: LeadBarProps) {
  return (
    <header className={styles.bar}>
      <ButtonLink variant="quiet" icon="left" href={back} aria-keyshortcuts="Escape">
        Back
      </ButtonLink>
      {replying && <h1 className={`${prose.hidden} ${styles.replyTitle}`}>Reply to {lead.name}</h1>}
      <span className={prose.aside}>
        {position && `${position.number} of ${position.of} waiting`}
      </span>
      <div className={styles.end}>
        <span className={prose.wide}>
          <Button variant="quiet" icon="more" onClick={openMore}>
            Export, forget
          </Button>
        </span>
        {position?.previous && (
          <ButtonLink variant="quiet" icon="up" keys="k" href={paths.lead(position.previous)}>
            <span className={prose.hidden}>Previous lead</span>
          </ButtonLink>
        )}
        {position?.next && (
          <ButtonLink variant="quiet" icon="down" keys="j" href={paths.lead(position.next)}>
            <span className={prose.hidden}>Next lead</span>
          </ButtonLink>
        )}
      </div>
    </header>
  );
}

interface LeadDetailsProps {
  page: LeadPage;
  /** The buttons. */
  children: ReactNode;
  changeNote: () => void;
  notSpam: (() => void) | undefined;
}

/** The left side: who wrote, the message, and what is known about it. */
function LeadDetails({ page, children, changeNote, notSpam }: LeadDetailsProps) {
  const { lead, spam } = page;
  const times = useTimes();
  const score = spam.score.toFixed(1).replace('-', '−');
  return (
    <div className={styles.theirs}>
      <div className={styles.person}>
        <div>
          <h1 className={prose.title} dir="auto">
            {lead.name}
          </h1>
          <p className={styles.contact}>
            <a className={prose.link} href={`mailto:${lead.email}`}>
              {lead.email}
            </a>
            {lead.phone && (
              <a className={prose.link} href={`tel:${lead.phone.replace(/[^+\d]/g, '')}`}>
                {lead.phone}
              </a>
            )}
          </p>
        </div>
        <p className={styles.promise}>
          <Clock lead={lead} now={times.now} />
          <span className={prose.aside}>{promiseText(page, times)}</span>
        </p>
      </div>

      <div className={styles.acts}>{children}</div>

      <div className={styles.message} dir="auto">
        {lead.message.split(/\n{2,}/).map((paragraph, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a message does not change.
          <p key={index}>{paragraph}</p>
        ))}
      </div>
      <p className={prose.aside}>{originText(page, times)}</p>

      {lead.note && (
        <p className={styles.note} dir="auto">
          {lead.note}
          <button type="button" className={prose.link} onClick={changeNote}>
            Change
          </button>
        </p>
      )}
      <EarlierContacts page={page} />
      <Part title={spam.verdict} note={`score ${score}, held from ${spam.held_from.toFixed(1)}`}>
        <p className={prose.small}>{spam.reasons.join(' ') || 'Nothing in it looks like spam.'}</p>
        {notSpam && (
          <p className={styles.decide}>
            <Button
              small
              keys="Shift s"
              command={`frontdoor leads release ${lead.short_id}`}
              onClick={notSpam}
            >
              Not spam
            </Button>
            {lead.held && <span className={prose.aside}>What was held back then goes out.</span>}
          </p>
        )}
      </Part>
      <Part title="Deliveries">
        {page.deliveries.length > 0 ? (
          <DeliveryList deliveries={page.deliveries} />
        ) : (
          <p className={prose.aside}>Nothing was sent.</p>
        )}
      </Part>
      <Part title="History">
        <Facts>
          {page.history.map((entry) => (
            <Fact key={`${entry.at} ${entry.what}`} label={times.recent(entry.at)}>
              {entry.who ? `${entry.who} ${entry.what}` : entry.what}
            </Fact>
          ))}
        </Facts>
        <p className={prose.aside}>
          The end of its id, for the command line: <code>{lead.short_id}</code>
        </p>
      </Part>
    </div>
  );
}

type Times = ReturnType<typeof useTimes>;

function promiseText({ lead, reply }: LeadPage, times: Times): string {
  if (lead.held) return 'back for you to decide';
  if (reply.leaving) return 'answered once the reply has left';
  if (isWaiting(lead) && lead.due_at) return `promised by ${times.by(lead.due_at)}`;
  if (lead.outcome) return lead.outcome;
  return lead.answered_at ? times.short(lead.answered_at) : '';
}

function originText({ lead }: LeadPage, times: Times): string {
  const from = lead.source === 'Direct' ? 'Came directly' : `From ${lead.source}`;
  const landed = lead.landing_path ? `, landed on ${lead.landing_path}` : '';
  const campaign = lead.campaign ? `, campaign ${lead.campaign}` : '';
  return `${times.full(lead.created_at)}, on the ${lead.form} page. ${from}${landed}${campaign}`;
}

/** What the same person sent before, and whether they get the newsletter. */
function EarlierContacts({ page: { lead, before, subscriber } }: { page: LeadPage }) {
  const times = useTimes();
  const [showsProof, setShowsProof] = useState(false);
  if (before.length === 0 && !subscriber) return null;
  const summary = [
    before.length > 0 && plural(before.length, 'message'),
    subscriber && 'subscriber',
  ];
  return (
    <Part title="Before" note={summary.filter(Boolean).join(', ')}>
      <Facts>
        {before.map((message) => (
          <Fact
            key={message.id}
            label={times.date(message.created_at)}
            end={<span className={prose.low}>{message.outcome}</span>}
          >
            <Link className={prose.link} href={paths.lead(message.id)} dir="auto">
              “{message.excerpt}”
            </Link>
          </Fact>
        ))}
        {subscriber && (
          <Fact
            label={times.date(subscriber.since)}
            end={
              <Button variant="text" onClick={() => setShowsProof(true)}>
                Proof
              </Button>
            }
          >
            Newsletter: {subscriber.state}
          </Fact>
        )}
      </Facts>
      {showsProof && subscriber && (
        <ProofDialog
          subscriber={{ id: subscriber.id, email: lead.email }}
          onClose={() => setShowsProof(false)}
        />
      )}
    </Part>
  );
}

interface MoreDialogProps {
  lead: LeadRow;
  forget: () => void;
  onClose: () => void;
}

const MoreDialog = ({ lead, forget, onClose }: MoreDialogProps) => (
  <Dialog title={lead.name} onClose={onClose}>
    <div className={styles.choices}>
      <ButtonLink
        icon="download"
        href={`/api/desk/export.csv?${new URLSearchParams({ view: 'all', email: lead.email })}`}
        download
        onClick={onClose}
      >
        Export what {lead.email} sent
      </ButtonLink>
      <Button icon="alert" onClick={forget}>
        Forget this person …
      </Button>
      <Button variant="quiet" onClick={onClose}>
        Back
      </Button>
    </div>
  </Dialog>
);

/** The only action that asks for confirmation, because it is the only one that cannot be undone. */
function ForgetDialog({ lead, onClose }: { lead: LeadRow; onClose: () => void }) {
  const [, go] = useLocation();
  const [problem, setProblem] = useState('');
  const forget = async (form: FormData) => {
    try {
      const { message } = await post(`leads/${lead.id}/forget`, { email: form.get('email') });
      queries.removeQueries({ queryKey: ['lead', lead.id] });
      refresh('inbox', 'newsletter', 'subscribers');
      onClose();
      go(lastPlace.address);
      notify(message);
    } catch (error) {
      setProblem(asProblem(error).message);
    }
  };
  return (
    <FormDialog
      title={`Forget ${lead.name}`}
      onClose={onClose}
      onSubmit={forget}
      submit="Forget for good"
      command={`frontdoor leads forget ${lead.email}`}
      cancel="Keep"
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
      <p id="forget-problem" role="alert" className={prose.fault}>
        {problem}
      </p>
    </FormDialog>
  );
}
