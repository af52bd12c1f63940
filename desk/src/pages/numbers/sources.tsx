import { useState } from 'react';
import type { NamedFigures, Numbers } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { DataTable, Take } from '../../ui/data-table.tsx';
import { Part } from '../../ui/facts.tsx';
import prose from '../../ui/prose.module.css';
import { Segmented } from '../../ui/segmented.tsx';
import { cellsOf, type Step, withPresses } from './figures.ts';
import styles from './numbers.module.css';

export const kinds = [
  { value: 'source', label: 'Source' },
  { value: 'page', label: 'Page' },
  { value: 'campaign', label: 'Campaign' },
] as const;

type Kind = (typeof kinds)[number]['value'];

/** More than one looks through at once. */
const first = 12;

interface Props {
  numbers: Numbers;
  steps: Step[];
  kind: Kind;
  onKind: (kind: Kind) => void;
}

/** Where visits came from, in the server's order: what ended in booked calls stands first. */
export function Sources({ numbers, steps, kind, onKind }: Props) {
  const [showsAll, setShowsAll] = useState(false);
  // Who came by no campaign is not one of them.
  const all = numbers[`by_${kind}`].filter(({ name }) => kind !== 'campaign' || name !== '');
  const hasVisits = numbers.totals.requested > 0;
  const table = (columns: Step[]) => ({
    columns: [
      { label: kinds.find(({ value }) => value === kind)?.label ?? '' },
      ...columns.map((column) => ({ ...column, isSorted: column.key === 'booked' })),
      ...(hasVisits ? [{ label: 'Visits to one booking', isMinor: true }] : []),
    ],
    rows: all.map((row) => ({
      cells: [
        ...cellsOf(nameOf(row, kind), row, columns),
        ...(hasVisits ? [row.booked > 0 ? Math.round(row.requested / row.booked) : null] : []),
      ],
    })),
  });
  const { columns, rows } = table(steps);
  const whole = table(withPresses(steps));
  return (
    <Part
      title="What brings them"
      end={<Segmented label="By" value={kind} options={[...kinds]} onChange={onKind} />}
    >
      {rows.length === 0 ? (
        <p className={prose.aside}>{nothing[kind]}</p>
      ) : (
        <>
          <DataTable
            caption={`What brings them, by ${kind}, sorted by booked`}
            columns={columns}
            rows={showsAll ? rows : rows.slice(0, first)}
          />
          <div className={styles.below}>
            {rows.length > first && (
              <Button tight aria-expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
                {showsAll ? `Show ${first}` : `Show ${rows.length}`}
              </Button>
            )}
            <Take
              what={`by ${kind}`}
              table={[
                whole.columns.map(({ label }) => label),
                ...whole.rows.map(({ cells }) => cells),
              ]}
              file={`${kind}s-${numbers.from}-to-${numbers.to}`}
            />
          </div>
        </>
      )}
    </Part>
  );
}

const nothing: Record<Kind, string> = {
  source: 'Nobody has come in these days.',
  page: 'No page was asked for in these days.',
  campaign: 'Nobody came by a campaign: a link with ?utm_campaign=NAME at its end belongs to one.',
};

function nameOf({ name }: NamedFigures, kind: Kind): string {
  if (name === '') return kind === 'source' ? 'Direct, or not told' : 'Not told';
  return name === 'other' && kind !== 'page' ? `All other ${kind}s` : name;
}
