import { Button, ButtonLink } from './button.tsx';
import { copy } from './command.tsx';
import styles from './data-table.module.css';
import facts from './facts.module.css';
import prose from './prose.module.css';

/** Nothing is told as "none yet". */
export type Cell = string | number | null;

interface Column {
  label: string;
  /** Left out where there is no room for all. */
  isMinor?: boolean;
  /** The highest stands first. */
  isSorted?: boolean;
}

interface Props {
  /** What it says; the title of its part stands above. */
  caption: string;
  columns: Column[];
  /** The first cell is the row's name. */
  rows: { cells: Cell[]; isTotal?: boolean }[];
  /** A chart shows the same: for screen readers alone. */
  isHidden?: boolean;
}

/** Numbers behind a chart. */
export const DataTable = ({ caption, columns, rows, isHidden }: Props) => (
  <div className={isHidden ? prose.hidden : `${facts.table} ${styles.figures}`}>
    <table>
      <caption className={prose.hidden}>{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ label, isMinor, isSorted }) => (
            <th
              key={label}
              scope="col"
              data-minor={isMinor}
              aria-sort={isSorted ? 'descending' : undefined}
            >
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ cells: [name, ...cells], isTotal }) => (
          <tr key={name} data-total={isTotal}>
            <th scope="row">{name}</th>
            {cells.map((cell, index) => (
              <td
                key={columns[index + 1]?.label}
                data-minor={columns[index + 1]?.isMinor}
                data-zero={!cell}
                data-sorted={columns[index + 1]?.isSorted}
              >
                {cell?.toLocaleString('en') ?? 'none yet'}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

/** For a spreadsheet; a name that it would take for a formula begins with an apostrophe, as in every export. */
export function delimited(rows: Cell[][], separator: ',' | '\t'): string {
  const cell = (value: Cell) => {
    if (typeof value !== 'string') return String(value ?? '');
    const text = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
    return separator === ',' ? `"${text.replaceAll('"', '""')}"` : text.replaceAll(/\s/g, ' ');
  };
  return rows.map((row) => `${row.map(cell).join(separator)}\n`).join('');
}

interface TakeProps {
  /** In "Copy the table by source". */
  what: string;
  table: Cell[][];
  /** The file's rows, where they are more than the table's. */
  days?: Cell[][];
  file: string;
}

/** A table to take along: to the clipboard, from where a spreadsheet takes it, and as a file. */
export const Take = ({ what, table, days, file }: TakeProps) => (
  <>
    <Button
      look="bare"
      icon="copy"
      onClick={() => void copy(delimited(table, '\t'), `The table ${what} is copied.`)}
    >
      Copy<span className={prose.hidden}> the table {what}</span>
    </Button>
    <ButtonLink
      look="bare"
      icon="download"
      href={`data:text/csv;charset=utf-8,${encodeURIComponent(delimited(days ?? table, ','))}`}
      download={`${file}.csv`}
    >
      CSV<span className={prose.hidden}> of the table {days ? 'by day' : what}</span>
    </ButtonLink>
  </>
);
