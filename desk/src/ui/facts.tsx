import { type ReactNode, useId } from 'react';
import styles from './facts.module.css';
import prose from './prose.module.css';

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
        {note && <p className={prose.aside}>{note}</p>}
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
        <span className={styles.label}>{label}</span>
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

interface TableProps {
  caption?: string;
  /** A column of buttons has no label. */
  columns: (Column | string)[];
  /** The first cell is the row's name; `null` is shown as "none yet". */
  rows: { cells: [name: string, ...ReactNode[]]; isTotal?: boolean }[];
  /** `figures` has numbers; `hidden` is for screen readers only, as a chart shows the same. */
  kind?: 'figures' | 'hidden';
}

const tableClasses = { figures: `${styles.table} ${styles.figures}`, hidden: prose.hidden };

export function Table({ caption, columns, rows, kind }: TableProps) {
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
        {caption && <caption className={prose.hidden}>{caption}</caption>}
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
          {rows.map(({ cells: [name, ...cells], isTotal }) => (
            <tr key={name} data-total={isTotal}>
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
