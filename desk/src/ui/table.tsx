import type { ReactNode } from 'react';
import prose from './prose.module.css';
import styles from './table.module.css';

/** Nothing is told as "none yet". */
export type Cell = string | number | null;

export interface Column {
  label: string;
  /** Left out where there is no room for all. */
  isMinor?: boolean;
  /** The highest stands first. */
  isSorted?: boolean;
}

interface Props {
  /** What it says, where the title of its part does not say it all. */
  caption?: string;
  columns: Column[];
  className?: string | undefined;
  children: ReactNode;
}

/** The first cell of a row names it; a column of buttons has no name. */
export const Table = ({ caption, columns, className = styles.table, children }: Props) => (
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

interface FiguresProps extends Pick<Props, 'columns'> {
  caption: string;
  /** The first cell is the row's name. */
  rows: { cells: Cell[]; isTotal?: boolean }[];
  /** A chart shows the same: for screen readers alone. */
  isHidden?: boolean;
}

/** The numbers behind a chart. */
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
