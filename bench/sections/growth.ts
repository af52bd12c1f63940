/** Stores from a handful of leads to a hundred thousand: every step takes the same time. */
import { run } from '../support/child.ts';
import { median, times } from '../support/figures.ts';
import type { Goal, Section, Table } from '../support/report.ts';

/** "Flat" within what a busy machine does to two equal runs. */
const tolerance = 1.5;

type StoreSize = Record<'insert' | 'list' | 'claim', number[]> & { stored: number };

export async function measure(): Promise<Section> {
  const bench = ['cargo', 'bench', '--quiet', '--bench', 'store', '--', 'growth'];
  const stores: StoreSize[] = JSON.parse(await run(bench, { minutes: 20 }));
  return {
    title: 'Growth: stored leads',
    method:
      'Stores filled with leads, then 300 single steps of each kind by one client: an insert and a claim end on disk, ' +
      'a claim is a delivery taken and recorded, a list is the newest 50. In brackets the middle half of the steps.',
    tables: [storeTable(stores)],
    goals: storeGoals(stores),
  };
}

function storeTable(stores: StoreSize[]): Table {
  return {
    title: 'Milliseconds for one step',
    head: ['stored leads', 'insert', 'list', 'claim'],
    rows: stores.map(({ stored, insert, list, claim }) => [
      stored.toLocaleString('en'),
      ...[insert, list, claim].map(middle),
    ]),
  };
}

/** The median and the middle half: single steps have outliers that say nothing. */
function middle(values: number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number) => (sorted[Math.floor(sorted.length * part)] ?? Number.NaN).toFixed(2);
  return `${median(values).toFixed(2)} (${at(0.25)} to ${at(0.75)})`;
}

function storeGoals(stores: StoreSize[]): Goal[] {
  const [small, large] = [stores[0], stores.at(-1)];
  if (!small || !large) throw new Error('no store was measured');
  return (['insert', 'list', 'claim'] as const).map((step) => {
    const ratio = median(large[step]) / median(small[step]);
    return {
      what: `${step} flat from ${small.stored} to ${large.stored.toLocaleString('en')} leads (at most ${tolerance}x)`,
      measured: times(ratio),
      met: ratio <= tolerance,
    };
  });
}
