import type { Numbers } from '../../api/types.ts';
import { hoursAndMinutes, minute } from '../../lib/time.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { Part } from '../../ui/facts.tsx';
import prose from '../../ui/prose.module.css';
import { type AnswerChart, answerChart, answersByTime } from './figures.ts';
import styles from './numbers.module.css';

/** From one dot to the next, in pixels; the words around them grow with the text. */
const pitch = 8;
const radius = 3.2;

const outOf = (part: number, whole: number) =>
  `${part.toLocaleString('en')} of ${whole.toLocaleString('en')}`;

/** How long answers took, against the promise. */
export function Answers({ answers, asTable }: { answers: Numbers['answers']; asTable: boolean }) {
  const { hours, promise_hours, median_hours, in_time, answered, before } = answers;
  if (median_hours === null)
    return (
      <Part title="Time to answer">
        <p className={prose.aside}>No lead of these days has an answer yet.</p>
      </Part>
    );
  const chart = answerChart(hours, promise_hours);
  const median = hoursAndMinutes(Math.round(median_hours * 60) * minute);
  const kept = outOf(in_time, answered);
  const says = [
    // The server tells so many one by one.
    hours.length < answered && `the last ${hours.length}`,
    !asTable && (chart.each === 1 ? 'each dot is one lead' : `a whole dot is ${chart.each} leads`),
  ];
  return (
    <Part title="Time to answer" says={says.filter(Boolean).join(', ')}>
      <p className={styles.median}>
        <span className={prose.big}>{median}</span>
        <span className={prose.small}>
          median, <b>{kept}</b> in time
          {before.answered > 0 && (
            <span className={prose.low}>, before {outOf(before.in_time, before.answered)}</span>
          )}
        </span>
      </p>
      {!asTable && (
        <Dots
          chart={chart}
          says={`Half of the answers within ${median}, ${kept} within the promised ${promise_hours} hours; the table has the numbers.`}
        />
      )}
      <DataTable
        caption="Time to answer"
        columns={[{ label: 'Time' }, { label: 'Answers' }]}
        rows={answersByTime(hours, promise_hours).map((cells) => ({ cells }))}
        isHidden={!asTable}
      />
    </Part>
  );
}

function Dots({ chart, says }: { chart: AnswerChart; says: string }) {
  const { columns, promise, ticks } = chart;
  const height = Math.max(4, ...columns.map(({ dots }) => Math.ceil(dots))) * pitch + 3;
  return (
    <div className={styles.dots} role="img" aria-label={says}>
      <p style={{ marginRight: `${100 - promise}%` }}>the promise</p>
      <svg width="100%" height={height} aria-hidden="true">
        <line x1="0" x2="100%" y1={height} y2={height} />
        <line
          className={styles.promise}
          x1={`${promise}%`}
          x2={`${promise}%`}
          y1="-18"
          y2={height}
        />
        {columns.flatMap(({ x, dots, isLate }) =>
          Array.from({ length: Math.ceil(dots) }, (_, row) => (
            <circle
              // biome-ignore lint/suspicious/noArrayIndexKey: dots of one column are alike.
              key={`${x} ${row}`}
              cx={`${x}%`}
              cy={height - 6 - row * pitch}
              r={radius * Math.max(0.3, Math.sqrt(Math.min(1, dots - row)))}
              data-late={isLate}
            />
          )),
        )}
      </svg>
      {ticks.map(({ x, label }) => (
        <span key={label} style={{ left: `${x}%` }} data-end={x > 95}>
          {label}
        </span>
      ))}
    </div>
  );
}
