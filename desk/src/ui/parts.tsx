/** What pages consist of: parts with a heading, lists, tables, and what stands for nothing. */
import { type ReactNode, useId } from 'react';
import styles from './ui.module.css';

const drawings = {
  done: 'M60 8a22 22 0 1 1 0 44 22 22 0 0 1 0-44zM51 30.500l6.500 6.500L70 24.500',
  nothing: 'M38 14h44v38H38zM38 38h13l3 6h12l3-6h13',
  chart: 'M36 58V46M48 58V34M60 58V40M72 58V24M84 58V12',
};

interface EmptyProps {
  title: string;
  next: string;
  children?: ReactNode;
  /** `done`: all is dealt with; `chart`: nothing is counted yet. */
  drawing?: keyof typeof drawings;
  /** It is the whole page, so its title is the `h1`. */
  isPage?: boolean;
}

export function Empty({ title, next, children, drawing = 'nothing', isPage }: EmptyProps) {
  const Title = isPage ? 'h1' : 'h2';
  return (
    <div className={styles.empty}>
      <svg viewBox="0 0 120 72" aria-hidden="true">
        <path className={styles.ground} d="M4 66h36M50 66h20M80 66h36" />
        <path d={drawings[drawing]} />
      </svg>
      <Title className={styles.title}>{title}</Title>
      <p>{next}</p>
      {children}
    </div>
  );
}

interface PartProps {
  title: string;
  note?: ReactNode;
  end?: ReactNode;
  children: ReactNode;
}

export function Part({ title, note, end, children }: PartProps) {
  const heading = useId();
  return (
    <section className={styles.part} aria-labelledby={heading}>
      <header>
        <h2 id={heading}>{title}</h2>
        {note && <p className={styles.aside}>{note}</p>}
        {end && <div className={styles.end}>{end}</div>}
      </header>
      {children}
    </section>
  );
}

interface Fact {
  label: string;
  value: ReactNode;
  end?: ReactNode;
}

export const Facts = ({ rows }: { rows: Fact[] }) => (
  <ul className={styles.facts}>
    {rows.map(({ label, value, end }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: two facts can have the same label.
      <li key={index}>
        <span className={styles.low}>{label}</span>
        <span className={styles.value}>{value}</span>
        {end && <span className={styles.last}>{end}</span>}
      </li>
    ))}
  </ul>
);

export interface Column {
  label: string;
  /** Hidden where the table is narrow. */
  isMinor?: boolean;
  /** The rows are sorted by it, the highest first. */
  isSorted?: boolean;
}

export type Row = [name: string, ...cells: ReactNode[]];

interface TableProps {
  caption?: string;
  /** A column of buttons has no label. */
  columns: (Column | string)[];
  /** The first cell is the row's name; `null` is shown as "none yet". */
  rows: Row[];
  /** The first row is the total. */
  hasTotal?: boolean;
  /** `figures` has numbers; `hidden` is for screen readers only, as a chart shows the same. */
  kind?: 'figures' | 'hidden';
}

const tableClasses = { figures: `${styles.table} ${styles.figures}`, hidden: styles.hidden };

export function Table({ caption, columns, rows, hasTotal, kind }: TableProps) {
  const heads: Column[] = columns.map((each) =>
    typeof each === 'string' ? { label: each } : each,
  );
  return (
    // With large text on a phone it scrolls, by keyboard too.
    <div
      className={kind ? tableClasses[kind] : styles.table}
      tabIndex={kind === 'hidden' ? undefined : 0}
    >
      <table>
        {caption && <caption className={styles.hidden}>{caption}</caption>}
        <thead>
          <tr>
            {heads.map(({ label, isMinor, isSorted }) => {
              const sort = isSorted ? 'descending' : undefined;
              return label ? (
                <th key={label} scope="col" data-minor={isMinor} aria-sort={sort}>
                  {label}
                </th>
              ) : (
                <td key={label} />
              );
            })}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, ...cells], at) => (
            <tr key={name} data-total={hasTotal && at === 0}>
              <th scope="row">{name}</th>
              {cells.map((cell, index) => {
                const { label, isMinor, isSorted } = heads[index + 1] ?? {};
                return (
                  <td key={label} data-minor={isMinor} data-zero={!cell} data-sorted={isSorted}>
                    {(typeof cell === 'number' ? cell.toLocaleString('en') : cell) ?? 'none yet'}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
