import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { release, setState } from '../../actions/leads.ts';
import { tell } from '../../actions/toasts.ts';
import { asProblem, post } from '../../api/client.ts';
import { useOwner } from '../../api/owner.ts';
import { leadQuery, queries, refresh, useLead } from '../../api/queries.ts';
import type { LeadPage, LeadRow, LeadState } from '../../api/types.ts';
import { useCommand } from '../../frame/foot-line.tsx';
import { useTitle } from '../../frame/page-head.tsx';
import { useKeys } from '../../lib/keyboard.ts';
import { lastPlace, paths } from '../../routes.ts';
import { NoteDialog } from '../../sections/note-dialog.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Dialog, FormDialog } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Field } from '../../ui/field.tsx';
import prose from '../../ui/prose.module.css';
import { Composer, NoMail } from './composer.tsx';
import styles from './lead.module.css';
import { TheirSide } from './their-side.tsx';

interface Props {
  id: string;
  /** On a phone, the reply is a page of its own; elsewhere it has the focus. */
  replying?: boolean;
}

export function LeadView({ id, replying = false }: Props) {
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

const states = [
  { state: 'answered', label: 'Answered', key: 'a', command: 'answered', icon: 'check' },
  { state: 'booked', label: 'Booked', key: 'b', command: 'booked', icon: 'calendar' },
  { state: 'closed', label: 'Close', key: 'c', command: 'close', icon: 'archive' },
  { state: 'spam', label: 'Spam', key: 's', command: 'spam', icon: 'stop' },
] as const;

function OpenLead({ page, replying }: { page: LeadPage; replying: boolean }) {
  const { lead, position } = page;
  const { next, previous } = position ?? {};
  const { can_mail } = useOwner();
  const [, go] = useLocation();
  const [dialog, setDialog] = useState<'note' | 'more' | 'forget'>();
  useTitle(lead.name);

  useEffect(() => {
    if (!lead.seen)
      void post(`leads/${lead.id}/seen`).then(
        () => refresh('inbox'),
        () => {},
      );
  }, [lead.seen, lead.id]);
  // The next one is there before it is asked for.
  useEffect(() => {
    if (next) void queries.prefetchQuery(leadQuery(next));
  }, [next]);

  /** What waited is done: the next waiting lead opens. */
  const mark = async (state: LeadState) => {
    const waited = lead.state === 'new';
    setDialog(undefined);
    const done = await setState(lead, state, ({ said, next }) =>
      waited && next ? `${said} This is the next one.` : said,
    );
    if (done && waited) go(done.next ? paths.lead(done.next) : paths.inbox);
  };
  const notSpam = lead.held || lead.state === 'spam' ? () => void release(lead) : undefined;
  const back = replying ? paths.lead(lead.id) : lastPlace.address;
  const shell = (verb: string) => `frontdoor leads ${verb} ${lead.short_id}`;
  useCommand(shell('show'));
  useKeys({
    j: () => next && go(paths.lead(next)),
    k: () => previous && go(paths.lead(previous)),
    escape: () => go(back),
    r: () => go(paths.reply(lead.id)),
    n: () => setDialog('note'),
    'shift+s': notSpam,
    ...Object.fromEntries(states.map(({ key, state }) => [key, () => mark(state)])),
  });

  /** What it is stays pressed; to press it again makes it wait again. */
  const stateButton = ({ state, label, key, command, icon }: (typeof states)[number]) => {
    const isSo = lead.state === state;
    return (
      <Button
        key={state}
        icon={icon}
        aria-pressed={isSo}
        keys={key}
        command={shell(isSo ? 'reopen' : command)}
        onClick={() => void mark(isSo ? 'new' : state)}
      >
        {label}
      </Button>
    );
  };
  const reply = () => go(replying ? paths.lead(lead.id) : paths.reply(lead.id));
  const close = () => setDialog(undefined);
  return (
    <div className={styles.page} data-replying={replying}>
      <header className={styles.bar}>
        <ButtonLink look="bare" icon="left" href={back} aria-keyshortcuts="Escape">
          Back
        </ButtonLink>
        {replying && <h1 className={styles.replyTitle}>Reply to {lead.name}</h1>}
        <span className={prose.aside}>
          {position && `${position.number} of ${position.of} waiting`}
        </span>
        <div className={styles.end}>
          <span className={prose.wide}>
            <Button look="bare" icon="more" onClick={() => setDialog('more')}>
              Export, forget
            </Button>
          </span>
          {previous && (
            <ButtonLink look="bare" icon="up" keys="k" href={paths.lead(previous)}>
              <span className={prose.hidden}>Lead before</span>
            </ButtonLink>
          )}
          {next && (
            <ButtonLink look="bare" icon="down" keys="j" href={paths.lead(next)}>
              <span className={prose.hidden}>Next lead</span>
            </ButtonLink>
          )}
        </div>
      </header>
      <div className={styles.two}>
        <TheirSide page={page} changeNote={() => setDialog('note')} notSpam={notSpam}>
          <div className={styles.acts}>
            <Button aria-pressed={replying} keys="r" command={shell('reply')} onClick={reply}>
              Reply
            </Button>
            {states.map(stateButton)}
            <Button keys="n" command={shell('note')} onClick={() => setDialog('note')}>
              Note
            </Button>
          </div>
        </TheirSide>
        {can_mail ? (
          <Composer key={lead.id} page={page} replying={replying} />
        ) : (
          <NoMail page={page} />
        )}
      </div>
      <div className={styles.thumbs}>
        <Button look="go" icon="reply" onClick={reply}>
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
        <Dialog title={lead.name} onClose={close}>
          <div className={styles.choices}>
            <ButtonLink
              icon="download"
              href={`/api/desk/export.csv?${new URLSearchParams({ view: 'all', q: lead.email })}`}
              download
              onClick={close}
            >
              Export what {lead.email} sent
            </ButtonLink>
            <Button icon="alert" onClick={() => setDialog('forget')}>
              Forget this person …
            </Button>
            <Button look="bare" onClick={close}>
              Back
            </Button>
          </div>
        </Dialog>
      )}
    </div>
  );
}

/** The one thing that cannot be undone, and so the one that asks. */
function ForgetDialog({ lead, onClose }: { lead: LeadRow; onClose: () => void }) {
  const [, go] = useLocation();
  const [email, setEmail] = useState('');
  const [problem, setProblem] = useState('');
  const forget = async () => {
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
    <FormDialog
      title={`Forget ${lead.name}`}
      onClose={onClose}
      onSubmit={forget}
      back="Keep"
      submit={
        <Button type="submit" command={`frontdoor leads forget ${lead.email}`}>
          Forget for good
        </Button>
      }
    >
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
    </FormDialog>
  );
}
