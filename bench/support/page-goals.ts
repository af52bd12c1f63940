/** What was promised of every page on a phone, held against what was measured. */
import { median, times } from './figures.ts';
import { lowestScores, type Run } from './lighthouse.ts';
import { type Goal, kilobytes } from './report.ts';
import type { Weight } from './weight.ts';

export type Measured = {
  path: string;
  weight: Weight;
  ours: Run[];
  /** Of the same page without a script, in the same rounds. */
  bare: Run[];
};

/** Bytes: scripts before any touch, scripts once the contact form is awake, all at load. */
const scriptLimit = 10_000;
const awakeLimit = 70_000;
const byteLimit = 60_000;
/** Seconds. */
const fcpLimit = 0.7;
const lcpLimit = 1;
/** Milliseconds of blocking more than without a script. */
const blockingLimit = 5;
/** How much later than without a script a page may paint. */
const ratioLimit = 1.15;

export const middle = (runs: Run[], figure: (run: Run) => number) => median(runs.map(figure));

const whole = (ms: number) => `${Math.round(ms)} ms`;
const seconds = (value: number) => `${value.toFixed(2)} s`;
const kB = (bytes: number) => `${kilobytes(bytes)} kB`;

export function pageGoals(all: Measured[]): Goal[] {
  const atMost = (
    what: string,
    limit: number,
    figure: (page: Measured) => number | undefined,
    show: (value: number, page: Measured) => string,
  ): Goal => {
    const { page, value } = worst(all, figure);
    return {
      what: `${what} on every page`,
      measured: `${show(value, page)} at worst (\`${page.path}\`)`,
      met: value <= limit,
    };
  };
  const paint = (name: string, limit: number, figure: (run: Run) => number) =>
    atMost(
      `${name} at most ${limit.toFixed(2)} s`,
      limit,
      ({ ours }) => middle(ours, figure),
      seconds,
    );
  const besideBare = (name: string, figure: (run: Run) => number) =>
    atMost(
      `${name} at most ${times(ratioLimit)} that of the same page without a script`,
      ratioLimit,
      ({ ours, bare }) => middle(ours, figure) / middle(bare, figure),
      (ratio, page) => `${times(ratio)}: ${pair(page, figure, seconds)}`,
    );
  return [
    atMost(
      `script before any touch at most ${kB(scriptLimit)}`,
      scriptLimit,
      ({ weight }) => weight.script,
      kB,
    ),
    atMost(
      `script once the contact form is awake at most ${kB(awakeLimit)}`,
      awakeLimit,
      ({ weight }) => weight.awake,
      kB,
    ),
    atMost(
      `all before any touch at most ${kB(byteLimit)}`,
      byteLimit,
      ({ weight }) => weight.total,
      kB,
    ),
    paint('FCP', fcpLimit, ({ fcp }) => fcp),
    paint('LCP', lcpLimit, ({ lcp }) => lcp),
    atMost(
      `TBT at most ${blockingLimit} ms more than that of the same page without a script`,
      blockingLimit,
      ({ ours, bare }) => middle(ours, blocking) - middle(bare, blocking),
      (more, page) => `${whole(more)} more: ${pair(page, blocking, whole)}`,
    ),
    hundreds(all),
    atMost(
      'CLS 0.000',
      0.0005,
      ({ ours }) => middle(ours, ({ cls }) => cls),
      (shift) => shift.toFixed(3),
    ),
    besideBare('FCP', ({ fcp }) => fcp),
    besideBare('LCP', ({ lcp }) => lcp),
  ];
}

const blocking = ({ tbt }: Run) => tbt;

/** "0.71 s and 0.69 s" */
const pair = (
  { ours, bare }: Measured,
  figure: (run: Run) => number,
  show: (value: number) => string,
) => `${show(middle(ours, figure))} and ${show(middle(bare, figure))}`;

/** The page furthest from the goal, of those that have the figure. */
function worst(all: Measured[], figure: (page: Measured) => number | undefined) {
  return all
    .flatMap((page) => {
      const value = figure(page);
      return value === undefined ? [] : [{ page, value }];
    })
    .reduce((a, b) => (b.value > a.value ? b : a));
}

/** Of every run, not of their middle. */
function hundreds(all: Measured[]): Goal {
  const lowest = ({ ours }: Measured) => Math.min(...lowestScores(ours));
  const { page } = worst(all, (page) => -lowest(page));
  const score = lowest(page);
  return {
    what: '100 in all four categories in every run on every page',
    measured: `${score} at worst${score < 100 ? ` (\`${page.path}\`)` : ''}`,
    met: score === 100,
  };
}
