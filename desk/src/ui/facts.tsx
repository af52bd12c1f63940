import { type ReactNode, useId } from 'react';
import styles from './facts.module.css';
import prose from './prose.module.css';

interface PartProps {
  title: string;
  /** A few words beside the title. */
  note?: ReactNode;
  end?: ReactNode;
  children: ReactNode;
}

/** A section of a page with a heading. */
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

export const Facts = ({ children }: { children: ReactNode }) => (
  <ul className={styles.facts}>{children}</ul>
);

interface FactProps {
  label: ReactNode;
  children: ReactNode;
  end?: ReactNode;
}

export const Fact = ({ label, children, end }: FactProps) => (
  <li>
    <span className={styles.label}>{label}</span>
    <span className={styles.value}>{children}</span>
    {end && <span className={styles.last}>{end}</span>}
  </li>
);

/** `null` is shown as "none yet". */
export type Cell = string | number | null;

export interface Column {
  label: string;
  /** Hidden where the table is narrow. */
  isMinor?: boolean;
  /** The rows are sorted by it, the highest first. */
  isSorted?: boolean;
}

interface TableProps {
  caption?: string;
  columns: Column[];
  className?: string | undefined;
  children: ReactNode;
}

/** A column of buttons has no label. */
export const Table = ({ caption, columns, className = styles.table, children }: TableProps) => (
  <div className={className}>
    <table>
      {caption && <caption className={prose.hidden}>{caption}</caption>}
      <thead>
        <tr>
          {columns.map(({ label, isMinor, isSorted }) => {
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
      <tbody>{children}</tbody>
    </table>
  </div>
);

interface FiguresProps extends Pick<TableProps, 'columns'> {
  caption: string;
  /** The first cell is the row's name. */
  rows: { cells: Cell[]; isTotal?: boolean }[];
  /** For screen readers only, as a chart shows the same. */
  isHidden?: boolean;
}

/** A table of numbers, such as those behind a chart. */
export const DataTable = ({ rows, isHidden, ...table }: FiguresProps) => (
  <Table {...table} className={isHidden ? prose.hidden : `${styles.table} ${styles.figures}`}>
    {rows.map(({ cells: [name, ...cells], isTotal }) => (
      <tr key={name} data-total={isTotal}>
        <th scope="row">{name}</th>
        {cells.map((cell, index) => {
          const { label, isMinor, isSorted } = table.columns[index + 1] ?? {};
          return (
            <td key={label} data-minor={isMinor} data-zero={!cell} data-sorted={isSorted}>
              {cell?.toLocaleString('en') ?? 'none yet'}
            </td>
          );
        })}
      </tr>
    ))}
  </Table>
);
