/** What a section found, and how it is shown: on the terminal and in results/. */

export type Goal = {
  /** What was promised, for example "FCP at most 0.8 s on every route". */
  what: string;
  measured: string;
  met: boolean;
};

export type Table = {
  title: string;
  head: string[];
  rows: string[][];
};

export type Section = {
  title: string;
  /** How it was measured, in a sentence or two. */
  method: string;
  tables: Table[];
  goals: Goal[];
};

export function markdown(section: Section): string {
  const tables = section.tables.map(
    ({ title, head, rows }) => `## ${title}\n\n${grid([head, head.map(() => '-'), ...rows])}\n`,
  );
  return [`# ${section.title}`, section.method, ...tables, goalTable(section.goals)].join('\n\n');
}

export function goalTable(goals: Goal[]): string {
  const rows = goals.map(({ what, measured, met }) => [what, measured, met ? 'met' : '**missed**']);
  return grid([['goal', 'measured', ''], ['-', '-', '-'], ...rows]);
}

/** A Markdown table whose columns also line up on a terminal. */
function grid(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: string[]) => {
    const rule = row.every((cell) => cell === '-');
    const cells = widths.map((width, column) =>
      rule ? '-'.repeat(width) : (row[column] ?? '').padEnd(width),
    );
    return `| ${cells.join(' | ')} |`;
  };
  return rows.map(line).join('\n');
}

/** 1 kB is 1000 bytes. */
export const kilobytes = (bytes: number) => (bytes / 1000).toFixed(1);
