import { memo } from 'react';
import { useOwner } from '../../api/owner.ts';
import type { LeadRow, Presence } from '../../api/types.ts';
import { isWaiting } from '../../lib/groups.ts';
import { shortTime } from '../../lib/time.ts';
import { highlight } from '../../lib/words.ts';
import { paths } from '../../routes.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { Clock } from '../../ui/clock.tsx';
import prose from '../../ui/prose.module.css';
import styles from './lead-line.module.css';

interface Props {
  lead: LeadRow;
  q: string;
  isPicked: boolean;
  pick: (lead: LeadRow, focus: boolean) => void;
  /** One function for the list: a router's link for each row would double what a row costs. */
  open: (lead: LeadRow) => void;
  reply: () => void;
  answer: () => void;
  writing: Presence | undefined;
  now: number;
  today: number;
}

/** Clock, name, first words, source, came; picked, two quick actions stand in the last columns. */
export const LeadLine = memo(function LeadLine(props: Props) {
  const { lead, isPicked } = props;
  const isOpen = isWaiting(lead);
  return (
    <li className={styles.row} data-picked={isPicked} data-open={isOpen}>
      <a
        id={`lead-${lead.id}`}
        className={styles.line}
        href={paths.lead(lead.id)}
        data-command={`frontdoor leads show ${lead.short_id}`}
        onFocus={() => props.pick(lead, false)}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
          event.preventDefault();
          props.open(lead);
        }}
      >
        <Clock lead={lead} now={props.now} />
        <Name lead={lead} />
        <span className={styles.words} dir="auto">
          {props.writing && (
            <Chip icon="pen" present>
              {props.writing.name} is writing
            </Chip>
          )}
          {lead.note && <Chip icon="pen">{lead.note}</Chip>}
          <Excerpt lead={lead} q={props.q} />
        </span>
        <span className={styles.from}>{lead.source}</span>
        <Came lead={lead} today={props.today} />
      </a>
      {isPicked && isOpen && (
        <span className={styles.quick}>
          <Button
            tight
            keys={['r']}
            command={`frontdoor leads reply ${lead.short_id}`}
            onClick={props.reply}
          >
            Reply
          </Button>
          <Button
            tight
            keys={['a']}
            command={`frontdoor leads answered ${lead.short_id}`}
            onClick={props.answer}
          >
            Answered
          </Button>
        </span>
      )}
    </li>
  );
}, isSame);

/** The functions change with every render of the page and do the same; the rest decides. */
function isSame(a: Props, b: Props): boolean {
  return (
    a.lead === b.lead &&
    a.q === b.q &&
    a.isPicked === b.isPicked &&
    // Only the picked row calls them.
    !b.isPicked &&
    a.writing?.name === b.writing?.name &&
    a.now === b.now
  );
}

export const Name = ({ lead }: { lead: LeadRow }) => (
  <span className={styles.name} data-fresh={!lead.seen && isWaiting(lead)}>
    <span dir="auto">{lead.name}</span>
    {!lead.seen && isWaiting(lead) && <span className={prose.hidden}>, new</span>}
  </span>
);

function Excerpt({ lead, q }: { lead: LeadRow; q: string }) {
  if (!q && !isWaiting(lead) && lead.outcome) return lead.outcome;
  return highlight(lead.excerpt, q).map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text keep their order.
    part.found ? <mark key={index}>{part.text}</mark> : part.text,
  );
}

export function Came({ lead, today }: { lead: LeadRow; today: number }) {
  const { zone } = useOwner().site;
  return (
    <time className={styles.came} dateTime={lead.created_at}>
      {shortTime(Date.parse(lead.created_at), today, zone)}
    </time>
  );
}
