import { type PointerEvent, useState } from 'react';
import type { Numbers } from '../../api/types.ts';
import { capital } from '../../lib/words.ts';
import { DataTable, Take } from '../../ui/data-table.tsx';
import { Icon } from '../../ui/icon.tsx';
import prose from '../../ui/prose.module.css';
import * as figures from './figures.ts';
import styles from './numbers.module.css';

interface Props {
  numbers: Numbers;
  steps: figures.Step[];
}

/** From visit to booked call: each step as a share of the one before, with its days below. */
export function Funnel({ numbers, steps, asTable }: Props & { asTable: boolean }) {
  const [pointed, setPointed] = useState<number>();
  return (
    <section className={styles.funnel} aria-label="From visit to booked call">
      {!asTable && (
        <ol onPointerLeave={() => setPointed(undefined)}>
          {steps.map((step, index) => (
            <li key={step.key}>
              {index > 0 && (
                <span className={styles.arrow}>
                  <Icon name="right" />
                </span>
              )}
              <h2>{step.label}</h2>
              <p className={styles.total}>
                <span className={prose.big}>{numbers.totals[step.key].toLocaleString('en')}</span>
              </p>
              <p className={prose.small}>
                {figures.changeOf(numbers, step)}
                {index === 0 &&
                  /(more|fewer)$/.test(figures.changeOf(numbers, step)) &&
                  ' than before'}
              </p>
              <Share numbers={numbers} steps={steps.slice(index - 1, index + 1)} />
              <Days numbers={numbers} steps={[step]} pointed={pointed} point={setPointed} />
            </li>
          ))}
        </ol>
      )}
      <DataTable
        caption="From visit to booked call, the latest first"
        columns={columnsOf(steps, capital(figures.unitOf(numbers.days)))}
        rows={rowsOf(numbers, steps)}
        isHidden={!asTable}
      />
    </section>
  );
}

/** The bar is what one can improve; the mark says where it was. */
function Share({ numbers, steps: [before, step] }: Props) {
  if (!before || !step)
    return (
      <p className={styles.share}>
        Bar: share of the step before.{figures.isCompared(numbers) && ' Mark: where it was.'}
      </p>
    );
  const shareOf = (counts: Numbers['totals']) =>
    figures.share(counts[step.key], counts[before.key], before.of);
  const [now, was] = [shareOf(numbers.totals), shareOf(numbers.before)];
  return (
    <div className={styles.share}>
      <div className={styles.meter} aria-hidden="true">
        <i style={{ width: `${now.width}%` }} />
        {was.says && <u style={{ left: `${was.width}%` }} />}
      </div>
      <p>
        <span>
          <b>{now.says}</b> {now.of}
        </span>
        {was.says && <span>was {was.says}</span>}
      </p>
    </div>
  );
}

interface DaysProps extends Props {
  pointed: number | undefined;
  point: (bar: number) => void;
}

/** At the step's own scale, its maximum written; the bar that one points at is told by all steps. */
function Days({ numbers, steps: [step], pointed = -1, point }: DaysProps) {
  if (!step) return null;
  const bars = figures.inBars(numbers);
  const values = bars.map(({ counts }) => counts[step.key]);
  const most = Math.max(...values);
  // One lead is not as tall as a hundred.
  const top = Math.max(most, 4);
  const unit = figures.unitOf(numbers.days);
  const span = figures.spanOf(numbers.from, numbers.to, numbers.to);
  const toBar = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    point(Math.floor(((clientX - left) / width) * bars.length));
  };
  return (
    <div
      className={styles.days}
      role="img"
      aria-label={`${step.label}, each ${unit} from ${span}: at most ${most.toLocaleString('en')}; the table has the numbers.`}
    >
      <svg
        viewBox={`0 0 ${bars.length} ${top}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        onPointerMove={toBar}
        onPointerDown={toBar}
      >
        {bars.map(({ from, isPart }, index) => (
          <rect
            key={from}
            x={index + 0.14}
            y={top - (values[index] ?? 0)}
            width="0.72"
            height={values[index]}
            data-part={isPart}
            data-last={index === bars.length - 1}
            data-pointed={index === pointed}
          />
        ))}
        <line x1="0" x2={bars.length} y1={top} y2={top} />
      </svg>
      <p>
        <span>
          {bars[pointed]?.name ?? figures.spanOf(numbers.from, numbers.from, numbers.from)}
        </span>
        {bars[pointed] ? (
          <b>{values[pointed]?.toLocaleString('en')}</b>
        ) : (
          <span>{most > 0 && `most ${most.toLocaleString('en')} a ${unit}`}</span>
        )}
      </p>
    </div>
  );
}

const columnsOf = (steps: figures.Step[], first: string) => [
  { label: first },
  ...figures.withPresses(steps),
];

function rowsOf(numbers: Numbers, steps: figures.Step[]) {
  const { days, totals, before } = numbers;
  const row = (name: string, counts: Numbers['totals']) => ({
    cells: figures.cellsOf(name, counts, figures.withPresses(steps)),
  });
  return [
    { ...row(`${days} days`, totals), isTotal: true },
    ...(figures.isCompared(numbers) ? [row(`${days} days before`, before)] : []),
    ...figures
      .inBars(numbers)
      .toReversed()
      .map(({ name, counts }) => row(name, counts)),
  ];
}

/** The table as it is shown, and a file with each day. */
export function TakeDays({ numbers, steps }: Props) {
  const unit = figures.unitOf(numbers.days);
  const head = (first: string) => columnsOf(steps, first).map(({ label }) => label);
  const days = numbers.by_day.map((row) =>
    figures.cellsOf(row.day, row, figures.withPresses(steps)),
  );
  return (
    <Take
      what={`by ${unit}`}
      table={[head(capital(unit)), ...rowsOf(numbers, steps).map(({ cells }) => cells)]}
      days={[head('Day'), ...days]}
      file={`numbers-${numbers.from}-to-${numbers.to}`}
    />
  );
}
