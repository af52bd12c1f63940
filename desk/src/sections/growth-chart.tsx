import type { Newsletter } from '../api/types.ts';
import { DataTable } from '../ui/data-table.tsx';
import styles from './growth-chart.module.css';

interface Props {
  growth: Newsletter['growth'];
  asTable: boolean;
}

/** Confirmed subscribers by month, as a line and, behind it, the numbers. */
export const GrowthChart = ({ growth, asTable }: Props) =>
  growth.length > 1 && (
    <>
      {!asTable && <Line growth={growth} />}
      <DataTable
        caption="Confirmed subscribers by month"
        columns={[{ label: 'Month' }, { label: 'Confirmed' }]}
        rows={growth
          .toReversed()
          .map(({ month, confirmed }) => ({ cells: [monthName(month, 'long'), confirmed] }))}
        isHidden={!asTable}
      />
    </>
  );

const monthName = (month: string, form: 'short' | 'long') =>
  new Intl.DateTimeFormat('en', {
    month: form,
    timeZone: 'UTC',
    ...(form === 'long' && { year: 'numeric' }),
  }).format(new Date(`${month.slice(0, 7)}-01T00:00:00Z`));

/** Drawn in shares of its box, with words beside it, so that these are as large as any other. */
function Line({ growth }: Pick<Props, 'growth'>) {
  const values = growth.map(({ confirmed }) => confirmed);
  const step = niceStep(Math.max(...values, 1));
  const top = Math.max(...values, step) * 1.06;
  const last = growth.length - 1;
  const x = (index: number) => (index / last) * 100;
  const y = (value: number) => 100 - (value / top) * 100;
  const line = values.map((value, index) => `${index ? 'L' : 'M'}${x(index)} ${y(value)}`).join('');
  const [from, to] = [growth[0], growth[last]];
  if (!from || !to) return null;
  const marks = [step, step * 2].filter((value) => value < top);
  const months = growth
    .map(({ month }, index) => ({ month, index }))
    .filter(({ index }) => index === last || (index % 3 === 0 && index < last - 1));
  return (
    <div
      className={styles.chart}
      role="img"
      aria-label={`Confirmed subscribers by month, from ${from.confirmed} in ${monthName(from.month, 'long')} to ${to.confirmed} in ${monthName(to.month, 'long')}; the table has the numbers.`}
    >
      <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
        {marks.map((value) => (
          <line key={value} x1="0" x2="100" y1={y(value)} y2={y(value)} />
        ))}
        <path className={styles.area} d={`${line}L100 100L0 100Z`} />
        <path className={styles.line} d={line} />
      </svg>
      <i className={styles.dot} style={{ top: `${y(to.confirmed)}%` }} />
      {marks.map((value) => (
        <span key={value} className={styles.value} style={{ top: `${y(value)}%` }}>
          {value.toLocaleString('en')}
        </span>
      ))}
      {months.map(({ month, index }) => (
        <span key={month} className={styles.month} style={{ left: `${x(index)}%` }}>
          {monthName(month, 'short')}
        </span>
      ))}
    </div>
  );
}

/** 1, 2 or 5 with zeros, so that one or two lines fit below the top. */
function niceStep(top: number): number {
  const power = 10 ** Math.floor(Math.log10(top));
  const lead = top / power;
  const step = lead >= 5 ? 5 * power : lead >= 2 ? power : power / 2;
  return Math.max(1, Math.round(step));
}
