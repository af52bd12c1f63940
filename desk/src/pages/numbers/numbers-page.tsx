import { type PointerEvent, useReducer, useState } from 'react';
import { useSearchParams } from 'wouter';
import { useNumbers } from '../../api/queries.ts';
import type { Figures, Numbers } from '../../api/types.ts';
import { PageHead } from '../../frame/frame.tsx';
import { capital, hoursAndMinutes, minute, number, plural } from '../../lib/words.ts';
import { GrowthChart } from '../../sections/subscribers.tsx';
import { Button, ButtonLink, copyToClipboard, Icon, Segmented } from '../../ui/controls.tsx';
import { Empty, Part, Table } from '../../ui/parts.tsx';
import ui from '../../ui/ui.module.css';
import * as figures from './figures.ts';
import styles from './numbers.module.css';

const periods = ['7', '30', '90', '365'];
const kinds = ['source', 'page', 'campaign'] as const;
type Kind = (typeof kinds)[number];

export function NumbersPage() {
  const [params, setParams] = useSearchParams();
  /** The choice is part of the address. */
  const choose = (name: string) => (value: string) =>
    setParams((params) => {
      params.set(name, value);
      return params;
    });
  const days = periods.find((days) => days === params.get('days')) ?? '30';
  const asTable = params.get('view') === 'table';
  const kind = kinds.find((kind) => kind === params.get('by')) ?? 'source';
  const { data } = useNumbers(days);
  const isEmpty = !data || figures.stepsOf(data).every(({ key }) => data.totals[key] === 0);
  const compared = data && figures.isCompared(data);
  return (
    <>
      <PageHead
        title="Numbers"
        command={`frontdoor stats --days ${days} --by ${kind}`}
        note={
          data &&
          figures.longSpan(data.from, data.to) +
            (compared ? `, beside the ${data.days} days before` : '; nothing was counted before')
        }
      >
        <div className={styles.choices}>
          <Segmented
            label="Days"
            value={days}
            options={periods}
            words={(each) => (each === days ? `${days} days` : each)}
            onChange={choose('days')}
          />
          {!isEmpty && (
            <>
              <Segmented
                label="Show"
                value={asTable ? 'table' : 'chart'}
                options={['chart', 'table']}
                onChange={choose('view')}
              />
              {/* Copies the table as shown; the file has each day. */}
              <ExportTable
                what={`by ${figures.unitOf(data.days)}`}
                table={tableByTime(data)}
                days={figures.eachDay(data)}
                file={`numbers-${data.from}-to-${data.to}`}
              />
            </>
          )}
        </div>
      </PageHead>
      {data && !data.counting && (
        <p className={styles.off}>
          Visits are not counted, as <code>FRONTDOOR_COUNT=off</code> says. Leads, answers and
          bookings are known without it.
        </p>
      )}
      {data && isEmpty && (
        <Empty
          title={`No ${data.counting ? 'visits' : 'leads'} in the last ${data.days} days`}
          next="The first one shows here within a minute. Shares appear from ten on; below that you see the plain numbers."
          drawing="chart"
        >
          <Explained numbers={data} />
        </Empty>
      )}
      {!isEmpty && (
        <div className={styles.page}>
          <Funnel numbers={data} asTable={asTable} />
          <div className={styles.body}>
            <div className={styles.main}>
              <Sources numbers={data} kind={kind} onKind={choose('by')} />
              <Explained numbers={data} />
            </div>
            <div className={styles.side}>
              <Answers answers={data.answers} asTable={asTable} />
              <Subscribers numbers={data} asTable={asTable} />
            </div>
          </div>
        </div>
      )}
    </>
  );
}

interface Props {
  numbers: Numbers;
  asTable: boolean;
}

/** What the numbers mean, and what they do not show. */
const Explained = ({ numbers: { totals, counting } }: { numbers: Numbers }) =>
  (counting || totals.requested > 0) && (
    <p className={styles.explained}>
      Visits are pages requested from outside; programs that identify themselves are left out.
      “Seen” means that the page was in view for some seconds.{' '}
      {totals.booking_presses > 0 &&
        `The links to book a call were pressed ${plural(totals.booking_presses, 'time')}. `}
      Nobody can say how many different people these were, and neither can we; the same is true of
      who came back.
    </p>
  );

/** From visit to booked call: each step as a share of the one before, with its days below. */
function Funnel({ numbers, asTable }: Props) {
  const [pointed, setPointed] = useState<number>();
  return (
    <section className={styles.funnel} aria-label="From visit to booked call">
      {!asTable && (
        <ol onPointerLeave={() => setPointed(undefined)}>
          {figures.stepsOf(numbers).map((step, index, steps) => (
            <StepColumn
              key={step.key}
              {...{ numbers, step, pointed }}
              before={steps[index - 1]}
              point={setPointed}
            />
          ))}
        </ol>
      )}
      <Table
        caption="From visit to booked call, the latest first"
        {...tableByTime(numbers)}
        hasTotal
        kind={asTable ? 'figures' : 'hidden'}
      />
    </section>
  );
}

const barMeans = 'Bar: share of the step before.';

interface StepProps {
  numbers: Numbers;
  step: figures.Step;
  before: figures.Step | undefined;
  pointed: number | undefined;
  point: (bar: number) => void;
}

/** Its days at their own scale; pointing at a bar shows its count in every step. */
function StepColumn({ numbers, step, before, pointed = -1, point }: StepProps) {
  const { days, from, to, totals } = numbers;
  const count = (counts: Figures) => counts[step.key];
  const compared = figures.isCompared(numbers);
  const change = compared ? figures.change(count(totals), count(numbers.before)) : '';
  const shareOf = (counts: Figures) =>
    figures.share(count(counts), before ? counts[before.key] : 0, before?.of ?? '');
  const [current, previous] = [shareOf(totals), shareOf(numbers.before)];
  const bars = figures.inBars(numbers);
  const pointedBar = bars[pointed];
  const most = Math.max(...bars.map(({ counts }) => count(counts)));
  // At least 4, so that the bar of a single lead is not as tall as one of a hundred.
  const top = Math.max(most, 4);
  const unit = figures.unitOf(days);
  const toBar = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    point(Math.floor(((clientX - left) / width) * bars.length));
  };
  return (
    <li>
      {before && (
        <span className={styles.arrow}>
          <Icon name="right" />
        </span>
      )}
      <h2>{step.label}</h2>
      <p className={styles.total}>
        <span className={ui.big}>{number(count(totals))}</span>
      </p>
      <p className={ui.small}>
        {before ? change : change.replace(/(more|fewer)$/, '$1 than before')}
      </p>
      {before ? (
        <div className={styles.share}>
          <div className={styles.meter} aria-hidden="true">
            <i style={{ width: `${current.width}%` }} />
            {previous.text && <u style={{ left: `${previous.width}%` }} />}
          </div>
          <p>
            <span>
              <b>{current.text}</b> {current.of}
            </span>
            {previous.text && <span>was {previous.text}</span>}
          </p>
        </div>
      ) : (
        <p className={styles.share}>{compared ? `${barMeans} Mark: where it was.` : barMeans}</p>
      )}
      <div
        className={styles.days}
        role="img"
        aria-label={`${step.label}, each ${unit} from ${figures.spanOf(from, to, to)}: at most ${number(most)}; the table has the numbers.`}
      >
        <svg
          viewBox={`0 0 ${bars.length} ${top}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          onPointerMove={toBar}
          onPointerDown={toBar}
        >
          {bars.map(({ name, isPart, counts }, index) => (
            <rect
              key={name}
              x={index + 0.14}
              y={top - count(counts)}
              width="0.72"
              height={count(counts)}
              data-part={isPart}
              data-last={index === bars.length - 1}
              data-pointed={index === pointed}
            />
          ))}
          <line x1="0" x2={bars.length} y1={top} y2={top} />
        </svg>
        <p>
          <span>{pointedBar?.name ?? figures.spanOf(from, from, from)}</span>
          {pointedBar ? (
            <b>{number(count(pointedBar.counts))}</b>
          ) : (
            <span>{most > 0 && `most ${number(most)} a ${unit}`}</span>
          )}
        </p>
      </div>
    </li>
  );
}

function tableByTime(numbers: Numbers) {
  const { days, totals, before } = numbers;
  const bars = figures.inBars(numbers).map(({ name, counts }) => ({ ...counts, name }));
  return figures.tableOf(capital(figures.unitOf(days)), figures.columnsOf(numbers), [
    { ...totals, name: `${days} days` },
    ...(figures.isCompared(numbers) ? [{ ...before, name: `${days} days before` }] : []),
    ...bars.reverse(),
  ]);
}

interface ExportProps {
  /** In "Copy the table by source". */
  what: string;
  table: figures.CountTable;
  /** The table in the file, if it has more. */
  days?: figures.CountTable;
  file: string;
}

/** Copies a table for a spreadsheet, or saves it as a file. */
function ExportTable({ what, table, days, file }: ExportProps) {
  const copied = figures.delimited(table, '\t');
  const csv = encodeURIComponent(figures.delimited(days ?? table, ','));
  return (
    <>
      <Button
        label="Copy"
        about={`the table ${what}`}
        variant="quiet"
        icon="copy"
        onClick={() => copyToClipboard(copied, `The table ${what} is copied.`)}
      />
      <ButtonLink
        label="CSV"
        about={`of the table ${days ? 'by day' : what}`}
        variant="quiet"
        icon="download"
        href={`data:text/csv;charset=utf-8,${csv}`}
        download={`${file}.csv`}
      />
    </>
  );
}

/** Rows of the table before "Show all". */
const rowsAtFirst = 12;

interface SourcesProps {
  numbers: Numbers;
  kind: Kind;
  onKind: (kind: Kind) => void;
}

/** Where visits came from, in the server's order: the most booked calls first. */
function Sources({ numbers, kind, onKind }: SourcesProps) {
  const [showsAll, toggle] = useReducer((shown) => !shown, false);
  // Visits without a campaign are no campaign.
  const all = numbers[`by_${kind}`].filter(({ name }) => kind !== 'campaign' || name !== '');
  const named = all.map((row) => ({ ...row, name: nameOf(row.name, kind) }));
  const visitsPerBooking = (at: number) => {
    const { requested = 0, booked = 0 } = all[at] ?? {};
    return booked > 0 ? Math.round(requested / booked) : null;
  };
  const table = (steps: figures.Step[]): figures.CountTable => {
    const sorted = steps.map((step) => ({ ...step, isSorted: step.key === 'booked' }));
    const { columns, rows } = figures.tableOf(capital(kind), sorted, named);
    if (numbers.totals.requested === 0) return { columns, rows };
    return {
      columns: [...columns, { label: 'Visits per booking', isMinor: true }],
      rows: rows.map(([name, ...cells], at) => [name, ...cells, visitsPerBooking(at)]),
    };
  };
  const { columns, rows } = table(figures.stepsOf(numbers));
  const toShow = showsAll ? rowsAtFirst : rows.length;
  return (
    <Part
      title="What brings them"
      end={<Segmented label="By" value={kind} options={kinds} onChange={onKind} />}
    >
      {rows.length === 0 ? (
        <p className={ui.aside}>{nothing[kind]}</p>
      ) : (
        <>
          <Table
            kind="figures"
            caption={`What brings them, by ${kind}, sorted by booked`}
            columns={columns}
            rows={showsAll ? rows : rows.slice(0, rowsAtFirst)}
          />
          <div className={styles.below}>
            {rows.length > rowsAtFirst && (
              <Button label={`Show ${toShow}`} small aria-expanded={showsAll} onClick={toggle} />
            )}
            <ExportTable
              what={`by ${kind}`}
              table={table(figures.columnsOf(numbers))}
              file={`${kind}s-${numbers.from}-to-${numbers.to}`}
            />
          </div>
        </>
      )}
    </Part>
  );
}

const nothing: Record<Kind, string> = {
  source: 'No visits in this period.',
  page: 'No page was requested in this period.',
  campaign: 'No visit came from a campaign yet. To count one, add ?utm_campaign=NAME to its link.',
};

function nameOf(name: string, kind: Kind): string {
  if (name === '') return kind === 'source' ? 'Direct, or not told' : 'Not told';
  return name === 'other' && kind !== 'page' ? `All other ${kind}s` : name;
}

/** How long answers took, against the promise. */
function Answers({ answers, asTable }: { answers: Numbers['answers']; asTable: boolean }) {
  const { hours, promise_hours, median_hours, answered, in_time, of, before } = answers;
  if (median_hours === null)
    return (
      <Part title="Time to answer">
        <p className={ui.aside}>No lead of this period has been answered yet.</p>
      </Part>
    );
  const chart = figures.answerChart(hours, promise_hours);
  const median = hoursAndMinutes(Math.round(median_hours * 60) * minute);
  const kept = `${number(in_time)} of ${number(of)}`;
  const notes = [
    // The server lists only the newest.
    hours.length < answered && `the last ${hours.length}`,
    !asTable && (chart.each === 1 ? 'each dot is one lead' : `a whole dot is ${chart.each} leads`),
  ];
  return (
    <Part title="Time to answer" note={notes.filter(Boolean).join(', ')}>
      <p className={ui.figure}>
        <span className={ui.big}>{median}</span>
        <span className={ui.small}>
          median, <b>{kept}</b> in time
          {before.of > 0 && (
            <span className={ui.low}>
              , before {number(before.in_time)} of {number(before.of)}
            </span>
          )}
        </span>
      </p>
      {!asTable && (
        <Dots
          {...chart}
          label={`Half of the answers within ${median}, ${kept} within the promised ${promise_hours} hours; the table has the numbers.`}
        />
      )}
      <Table
        caption="Time to answer"
        columns={['Time', 'Answers']}
        rows={figures.answersByTime(hours, promise_hours)}
        kind={asTable ? 'figures' : 'hidden'}
      />
    </Part>
  );
}

/** Between dots, in pixels. */
const dotDistance = 8;
const radius = 3.2;

type DotsProps = ReturnType<typeof figures.answerChart> & { label: string };

function Dots({ columns, promise, ticks, label }: DotsProps) {
  const height = Math.max(4, ...columns.map(({ dots }) => Math.ceil(dots))) * dotDistance + 3;
  const x = `${promise}%`;
  return (
    <div className={styles.dots} role="img" aria-label={label}>
      <p style={{ marginRight: `${100 - promise}%` }}>the promise</p>
      <svg width="100%" height={height} aria-hidden="true">
        <line x1="0" x2="100%" y1={height} y2={height} />
        <line className={styles.promise} x1={x} x2={x} y1="-18" y2={height} />
        {columns.flatMap(({ x, dots, isLate }) =>
          Array.from({ length: Math.ceil(dots) }, (_, row) => (
            <circle
              // biome-ignore lint/suspicious/noArrayIndexKey: dots of one column are alike.
              key={`${x} ${row}`}
              cx={`${x}%`}
              cy={height - 6 - row * dotDistance}
              r={radius * Math.max(0.3, Math.sqrt(Math.min(1, dots - row)))}
              data-late={isLate}
            />
          )),
        )}
      </svg>
      {ticks.map((tick) => (
        <span key={tick.label} style={{ left: `${tick.x}%` }} data-end={tick.x > 95}>
          {tick.label}
        </span>
      ))}
    </div>
  );
}

function Subscribers({ numbers, asTable }: Props) {
  const { confirmed, more, points } = numbers.subscribers;
  const changed = more === 0 ? '' : `, ${number(Math.abs(more))} ${more > 0 ? 'more' : 'fewer'}`;
  const growth = `${number(confirmed)} confirmed${changed}`;
  return (
    <Part title="Newsletter" note={confirmed > 0 ? growth : 'nobody has confirmed yet'}>
      {confirmed > 0 && <GrowthChart growth={points} asTable={asTable} />}
    </Part>
  );
}
