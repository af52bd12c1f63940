/** Every page on a phone, in turns with the same page without a script and with Astro's home page. */
import '../support/release.ts';
import { constants, setPriority } from 'node:os';
import { App } from '../../e2e/support/app.ts';
import { pages, unlisted } from '../../e2e/support/routes.ts';
import { astroVersion, serveAstro } from '../support/astro.ts';
import { spread } from '../support/figures.ts';
import {
  type Audits,
  categories,
  lowestScores,
  measurePage,
  type Run,
  startChrome,
} from '../support/lighthouse.ts';
import { type Measured, middle, pageGoals } from '../support/page-goals.ts';
import { servePlainPages } from '../support/plain-pages.ts';
import { kilobytes, type Section, type Table } from '../support/report.ts';
import { astroForm, ourForm, type Weight, weigh, weighing } from '../support/weight.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const astroName = '`/` by Astro';
/** Of the pages without a script only the speed is asked for. */
const justSpeed: Audits = { onlyCategories: ['performance'] };

export async function measure(): Promise<Section> {
  const app = await App.start();
  const plain = await servePlainPages(app.url, pages);
  const astro = await serveAstro(app.url);
  try {
    const measured = await weighed(app.url);
    const astroWeight = await weigh(astro.url, '/', astroForm);
    const astroRuns: Run[] = [];
    await inRounds([
      { url: astro.url, audits: {}, runs: astroRuns },
      ...measured.flatMap(({ path, ours, bare }) => [
        { url: app.url + path, audits: auditsOf(path), runs: ours },
        { url: plain.url + path, audits: justSpeed, runs: bare },
      ]),
    ]);
    return {
      title: 'Pages on a phone',
      method: method(await astroVersion()),
      tables: [table(measured, astroRuns), weightTable(measured, astroWeight)],
      goals: pageGoals(measured),
    };
  } finally {
    await Promise.all([plain.close(), astro.close()]);
    await app.dispose();
  }
}

/** Bytes are the same in every round: once is enough. */
async function weighed(url: string): Promise<Measured[]> {
  const all: Measured[] = [];
  for (const path of pages) {
    all.push({ path, weight: await weigh(url, path, ourForm), ours: [], bare: [] });
  }
  return all;
}

const auditsOf = (path: string): Audits =>
  unlisted.includes(path) ? { skipAudits: ['is-crawlable'] } : {};

type Contestant = { url: string; audits: Audits; runs: Run[] };

/** There and back, so that a busy minute of the machine hits a page and its peer alike. */
async function inRounds(contestants: Contestant[]) {
  for (let round = 0; round < rounds; round += 1) {
    const chrome = await startChrome();
    stepBack();
    try {
      for (const { url, audits, runs } of round % 2 ? contestants.toReversed() : contestants) {
        runs.push(await measurePage(url, chrome, audits));
      }
    } finally {
      chrome.kill();
      comeForward();
    }
  }
}

/** Lighthouse watches from this process: it must not take the browser's place on a core. */
const stepBack = () => setPriority(constants.priority.PRIORITY_LOW);

function comeForward() {
  try {
    setPriority(constants.priority.PRIORITY_NORMAL);
  } catch {
    // Only root may. Then the next browser starts in the back as well, ours and the peer's alike.
  }
}

const method = (astro: string) =>
  [
    `Lighthouse 13, its mobile settings (slow 4G, CPU four times slower, simulated), ${rounds} rounds there and back over all pages and their peers, one run at a time.`,
    'Each page has a peer: the same HTML, fonts, pictures and security headers without any script, as a static generator’s template would serve it. Those headers have the browser start a process for the page, which on a busy machine is most of its blocking time.',
    `${astro} builds the home page from the same components, words, pictures and fonts (\`bench/peers/astro\`), its styles inlined, its contact form an island of React with \`client:visible\`; it has no particles, reveals or fetching ahead. It is sent by the server of the pages without a script.`,
    weighing,
    `Pages that ask search engines not to list them (${unlisted.map((path) => `\`${path}\``).join(', ')}) fail the audit \`is-crawlable\` on purpose; it is left out for them.`,
  ].join(' ');

function table(measured: Measured[], astro: Run[]): Table {
  const row = (name: string, runs: Run[], bare?: Run[]) => {
    const beside = (figure: (run: Run) => number, digits: number) => [
      spread(runs.map(figure), digits),
      bare ? spread(bare.map(figure), digits) : '',
    ];
    return [
      name,
      lowestScores(runs).join(' '),
      ...beside(({ fcp }) => fcp, 2),
      ...beside(({ lcp }) => lcp, 2),
      ...beside(({ tbt }) => tbt, 0),
      middle(runs, ({ cls }) => cls).toFixed(3),
    ];
  };
  const bare = 'no script';
  return {
    title: `Times, and the lowest scores of all rounds (${categories.join(', ')}); beside each time that of the same page without a script`,
    head: ['page', 'scores', 'FCP s', bare, 'LCP s', bare, 'TBT ms', bare, 'CLS'],
    rows: [...measured.map(({ path, ours, bare }) => row(path, ours, bare)), row(astroName, astro)],
  };
}

function weightTable(measured: Measured[], astro: Weight): Table {
  const row = (name: string, { script, total, awake }: Weight) => [
    name,
    kilobytes(script),
    kilobytes(total),
    awake === undefined ? '' : kilobytes(awake),
  ];
  return {
    title: 'Bytes as they are sent, kB: before any touch, and once the contact form is awake',
    head: ['page', 'script', 'in all', 'script, form awake'],
    rows: [...measured.map(({ path, weight }) => row(path, weight)), row(astroName, astro)],
  };
}
