import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { release, setState } from '../../actions/leads.ts';
import { asProblem, get, post } from '../../api/client.ts';
import { useOwner } from '../../api/owner.ts';
import { queries, refresh, useLead } from '../../api/queries.ts';
import type { LeadPage, LeadState } from '../../api/types.ts';
import { useCommand } from '../../frame/foot-line.tsx';
import { useTitle } from '../../frame/title.ts';
import { useKeys } from '../../lib/keyboard.ts';
import { paths } from '../../routes.ts';
import { NoteDialog } from '../../sections/note-dialog.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import prose from '../../ui/prose.module.css';
import { lastPlace } from '../inbox/last-place.ts';
import { Composer } from './composer.tsx';
import { ForgetDialog } from './forget-dialog.tsx';
import styles from './lead-page.module.css';
import { type LeadDialog, MoreDialog } from './more-dialog.tsx';
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

function OpenLead({ page, replying }: { page: LeadPage; replying: boolean }) {
  const { lead, position } = page;
  const [, go] = useLocation();
  const [dialog, setDialog] = useState<LeadDialog>();
  const { can_mail } = useOwner();
  useTitle(lead.name);
  useCommand(`frontdoor leads show ${lead.short_id}`);

  useEffect(() => {
    if (!lead.seen)
      void post(`leads/${lead.id}/seen`).then(
        () => refresh('inbox'),
        () => {},
      );
  }, [lead.seen, lead.id]);
  // The next one is there before it is asked for.
  useEffect(() => {
    const { next } = position;
    if (next)
      void queries.prefetchQuery({
        queryKey: ['lead', next],
        queryFn: () => get<LeadPage>(`leads/${next}`),
      });
  }, [position]);

  /** What waited is done: the next waiting lead opens. */
  const mark = async (state: LeadState) => {
    const waited = lead.state === 'new';
    setDialog(undefined);
    const done = await setState(lead, state, ({ said, next }) =>
      waited && next ? `${said} This is the next one.` : said,
    );
    if (done && waited) go(done.next ? paths.lead(done.next) : paths.inbox);
  };
  const step = (to: string | null) => () => void (to && go(paths.lead(to)));
  useKeys({
    next: step(position.next),
    previous: step(position.previous),
    back: () => go(replying ? paths.lead(lead.id) : lastPlace.address),
    reply: () => go(paths.reply(lead.id)),
    answered: () => void mark('answered'),
    booked: () => void mark('booked'),
    closed: () => void mark('closed'),
    spam: () => void mark('spam'),
    'not-spam': () => void ((lead.held || lead.state === 'spam') && release(lead)),
    note: () => setDialog('note'),
  });

  const place = position.number > 0 ? `${position.number} of ${position.of} waiting` : '';
  return (
    <div className={styles.page} data-replying={replying}>
      <header className={styles.head}>
        <ButtonLink
          look="bare"
          icon="left"
          href={replying ? paths.lead(lead.id) : lastPlace.address}
          aria-keyshortcuts="Escape"
        >
          Back
        </ButtonLink>
        {replying && <h1 className={styles.replyTitle}>Reply to {lead.name}</h1>}
        <span className={prose.aside}>{place}</span>
        <div className={styles.end}>
          <span className={prose.wide}>
            <Button look="bare" icon="more" onClick={() => setDialog('more')}>
              Export, forget
            </Button>
          </span>
          {position.previous && (
            <ButtonLink look="bare" icon="up" keys={['k']} href={paths.lead(position.previous)}>
              <span className={prose.hidden}>Lead before</span>
            </ButtonLink>
          )}
          {position.next && (
            <ButtonLink look="bare" icon="down" keys={['j']} href={paths.lead(position.next)}>
              <span className={prose.hidden}>Next lead</span>
            </ButtonLink>
          )}
        </div>
      </header>
      <div className={styles.two}>
        <TheirSide
          page={page}
          replying={replying}
          mark={(state) => void mark(state)}
          open={setDialog}
        />
        <Composer key={lead.id} page={page} replying={replying} canMail={can_mail} />
      </div>
      <div className={styles.thumbs}>
        <Button look="go" icon="reply" onClick={() => go(paths.reply(lead.id))}>
          Reply
        </Button>
        <Button icon="check" onClick={() => void mark('answered')}>
          Answered
        </Button>
        <Button icon="calendar" onClick={() => void mark('booked')}>
          Booked
        </Button>
        <Button icon="more" onClick={() => setDialog('more')}>
          More
        </Button>
      </div>
      {dialog === 'note' && <NoteDialog lead={lead} onClose={() => setDialog(undefined)} />}
      {dialog === 'forget' && <ForgetDialog lead={lead} onClose={() => setDialog(undefined)} />}
      {dialog === 'more' && (
        <MoreDialog
          lead={lead}
          mark={(state) => void mark(state)}
          open={setDialog}
          onClose={() => setDialog((open) => (open === 'more' ? undefined : open))}
        />
      )}
    </div>
  );
}
