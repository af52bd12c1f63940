/** One Lighthouse run, cut down to the figures we make promises about. */
import { type LaunchedChrome, launch } from 'chrome-launcher';
import lighthouse, { type Flags, type Result } from 'lighthouse';
import { launchOptions } from '../../e2e/support/browser.ts';

export const categories = ['performance', 'accessibility', 'best-practices', 'seo'] as const;

export type Run = {
  /** From 0 to 100, in the order of `categories`. */
  scores: number[];
  /** Seconds. */
  fcp: number;
  lcp: number;
  /** Milliseconds. */
  tbt: number;
  cls: number;
};

/** What is left out. */
export type Audits = Pick<Flags, 'skipAudits' | 'onlyCategories'>;

const attempts = 3;

export const startChrome = (): Promise<LaunchedChrome> =>
  launch({
    chromePath: launchOptions.executablePath ?? 'chromium',
    chromeFlags: ['--headless=new', ...(launchOptions.args ?? [])],
    logLevel: 'error',
  });

/** Lighthouse's own mobile settings: a slow 4G connection and a CPU four times slower, simulated. */
export async function measurePage(
  url: string,
  { port }: LaunchedChrome,
  audits: Audits,
): Promise<Run> {
  const lhr = await recorded(url, { port, logLevel: 'error', ...audits });
  return {
    scores: categories.map((name) => Math.round(100 * (lhr.categories[name]?.score ?? 0))),
    fcp: figure(lhr, 'first-contentful-paint') / 1000,
    lcp: figure(lhr, 'largest-contentful-paint') / 1000,
    tbt: figure(lhr, 'total-blocking-time'),
    cls: figure(lhr, 'cumulative-layout-shift'),
  };
}

/** Of each category, the lowest of all runs. */
export const lowestScores = (runs: Run[]): number[] =>
  categories.map((_, index) => Math.min(...runs.map(({ scores }) => scores[index] ?? 0)));

/** On a busy machine Lighthouse may fail to record the load, and says so: then there is nothing to keep. */
async function recorded(url: string, flags: Flags): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    const lhr = (await lighthouse(url, flags))?.lhr;
    if (lhr && !lhr.runtimeError) return lhr;
    const problem = `${url}: ${lhr?.runtimeError?.message ?? 'Lighthouse gave no result'}`;
    if (attempt === attempts) throw new Error(problem);
    console.error(`${problem} (again)`);
  }
}

function figure(lhr: Result, audit: string): number {
  const value = lhr.audits[audit]?.numericValue;
  if (value === undefined) {
    throw new Error(`${lhr.finalDisplayedUrl}: ${audit}: ${lhr.audits[audit]?.errorMessage}`);
  }
  return value;
}
