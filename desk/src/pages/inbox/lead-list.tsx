import type { Inbox, InboxView, LeadRow } from '../../api/types.ts';
import { type Group, isWaiting, type Urgency } from '../../lib/groups.ts';
import { capital, inWords, plural } from '../../lib/words.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import prose from '../../ui/prose.module.css';
import { LeadLine } from './lead-line.tsx';
import styles from './lead-list.module.css';

interface Props {
  view: InboxView;
  q: string;
  leads: LeadRow[];
  groups: Group[];
  inbox: Inbox;
  picked: LeadRow | undefined;
  pick: (lead: LeadRow, focus: boolean) => void;
  open: (lead: LeadRow) => void;
  reply: () => void;
  answer: () => void;
  more: (() => void) | undefined;
  now: number;
}

const headings: Record<Urgency, string> = {
  late: 'Late',
  due: 'Due',
  waiting: 'Waiting',
  done: 'Done this week',
};

export function LeadList(props: Props) {
  const { view, q, leads, groups, inbox, more } = props;
  const lines = (some: LeadRow[]) => (
    <ul className={styles.rows}>
      {some.map((lead) => (
        <LeadLine
          key={lead.id}
          lead={lead}
          q={q}
          isPicked={lead.id === props.picked?.id}
          pick={props.pick}
          open={props.open}
          reply={props.reply}
          answer={props.answer}
          writing={inbox.people.find(
            (person) => !person.this_browser && person.writing_to?.id === lead.id,
          )}
          // Rows of what is done do not change with the time.
          now={isWaiting(lead) ? props.now : 0}
          today={props.now}
        />
      ))}
    </ul>
  );
  const isByPromise = view === 'waiting' && !q;
  return (
    <div>
      {isByPromise && !leads.some(isWaiting) && <NobodyWaits inbox={inbox} />}
      {!isByPromise && leads.length === 0 && <Nothing view={view} q={q} />}
      {isByPromise
        ? groups.map(({ urgency, leads: some }) => (
            <section key={urgency}>
              <header className={styles.group}>
                <h2 className={urgency === 'late' ? prose.late : undefined}>{headings[urgency]}</h2>
                <span>{more ? counted(inbox, urgency, some) : some.length}</span>
                {urgency === 'due' && <span className={prose.low}>less than 4 h left</span>}
              </header>
              {lines(some)}
            </section>
          ))
        : leads.length > 0 && (
            <section>
              {q && (
                <header className={styles.group}>
                  <h2>
                    {more ? `The newest ${leads.length} leads` : plural(leads.length, 'lead')} with
                    “{q}”
                  </h2>
                  {view === 'all' && <span className={prose.low}>in all states, newest first</span>}
                </header>
              )}
              {lines(leads)}
            </section>
          )}
      {more && (
        <p className={styles.more}>
          <Button onClick={more}>Show more</Button>
        </p>
      )}
    </div>
  );
}

/** As long as not all are loaded, only the server knows how many there are. */
function counted({ counts }: Inbox, urgency: Urgency, loaded: LeadRow[]): number {
  const { late, due, waiting } = counts;
  return { late, due, waiting: waiting - late - due, done: loaded.length }[urgency];
}

function NobodyWaits({ inbox }: { inbox: Inbox }) {
  const { counts, calls } = inbox;
  const isNew = counts.all === 0 && counts.held === 0;
  return (
    <Empty
      title={isNew ? 'Nobody has written yet' : 'Everybody has an answer'}
      drawing={isNew ? 'nothing' : 'done'}
    >
      <p>New leads appear here by themselves, and you get a mail.</p>
      {calls[0] && <p className={prose.aside}>Next: a call with {calls[0].name}.</p>}
      {counts.held > 0 && (
        <p className={prose.aside}>
          {capital(inWords(counts.held))} {counts.held === 1 ? 'is' : 'are'} held back for you to
          decide.
        </p>
      )}
    </Empty>
  );
}

const nothing: Partial<Record<InboxView, [title: string, next: string]>> = {
  answered: ['Nobody is marked as answered', 'Whom you answer comes here.'],
  booked: ['No call is booked', 'Whoever books a call comes here.'],
  closed: ['Nothing is closed', 'Close a lead when there is nothing left to do.'],
  spam: ['No spam', 'What you mark as spam comes here, and nobody else is told of it.'],
};

function Nothing({ view, q }: { view: InboxView; q: string }) {
  const [title, next] = q
    ? [`Nothing has “${q}”`, 'Names, addresses, phone numbers, messages and notes were searched.']
    : (nothing[view] ?? ['Nobody has written yet', 'The first lead appears here by itself.']);
  return (
    <Empty title={title}>
      <p>{next}</p>
    </Empty>
  );
}
