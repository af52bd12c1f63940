/** Every page as Lighthouse sees it on a phone, beside the same page without a script. */
import '../support/release.ts';
import { constants, setPriority } from 'node:os';
import { App } from '../../e2e/support/app.ts';
import { pages, unlisted } from '../../e2e/support/routes.ts';
import { startBrowser } from '../support/browser.ts';
import { median, spread, times } from '../support/figures.ts';
import { categories, measurePage, type Run, startChrome } from '../support/lighthouse.ts';
import { servePlainPage } from '../support/plain-page.ts';
import type { Goal, Section, Table } from '../support/report.ts';
import { type Weight, weightAtLoad, weightAwake } from '../support/weight.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const peer = 'peer: `/` without a script';
/** Bytes: scripts before any touch, scripts once the contact form is awake, all at load. */
const scriptLimit = 10_000;
const awakeLimit = 70_000;
const byteLimit = 60_000;
/** Milliseconds of blocking more than the plain page's. */
const blockingLimit = 5;
/** How much later than the plain page ours may paint. */
const ratioLimit = 1.15;

type Target = { name: string; url: string; skipAudits: string[] };

export async function measure(): Promise<Section> {
  const app = await App.start();
  const plain = await servePlainPage(app.url);
  const targets: Target[] = [
    ...pages.map((path) => ({
      name: path,
      url: app.url + path,
      skipAudits: unlisted.includes(path) ? ['is-crawlable'] : [],
    })),
    { name: peer, url: plain.url, skipAudits: [] },
  ];
  try {
    const weights = await weigh(app.url);
    const runs = await inRounds(targets);
    return {
      title: 'Pages on a phone',
      method: `Lighthouse 13, its mobile settings (slow 4G, CPU four times slower, simulated), ${rounds} rounds over all pages and the peer, one run at a time. The peer is our home page as a static generator's template would serve it: the same HTML, fonts, pictures and security headers, no script. Those headers have the browser start a process for the page, which on a busy machine is most of its blocking time. Pages that ask search engines not to list them (${unlisted.map((path) => `\`${path}\``).join(', ')}) fail the audit \`is-crawlable\` on purpose; it is left out for them. 1 kB is 1000 bytes.`,
      tables: [table(runs), weightTable(weights)],
      goals: [...goals(runs), ...weightGoals(weights)],
    };
  } finally {
    await plain.close();
    await app.dispose();
  }
}

type Weights = Map<string, { load: Weight; awake?: Weight }>;

/** Bytes are the same in every round: once is enough. */
async function weigh(url: string): Promise<Weights> {
  const browser = await startBrowser();
  const weights: Weights = new Map();
  try {
    for (const path of pages) {
      const page = await browser.newPage({ viewport: { width: 412, height: 823 } });
      const load = await weightAtLoad(page, url + path);
      const hasForm = (await page.locator('form[action="/api/contacts"]').count()) > 0;
      weights.set(path, { load, ...(hasForm && { awake: await weightAwake(page) }) });
      await page.close();
    }
  } finally {
    await browser.close();
  }
  return weights;
}

function weightTable(weights: Weights): Table {
  return {
    title: 'Bytes as they are sent, kB: before any touch, and once the contact form is awake',
    head: ['page', 'script', 'in all', 'script, form awake'],
    rows: [...weights].map(([path, { load, awake }]) => [
      path,
      kilobytes(load.scripts),
      kilobytes(load.total),
      awake ? kilobytes(awake.scripts) : '',
    ]),
  };
}

function weightGoals(weights: Weights): Goal[] {
  const goal = (what: string, limit: number, figure: (path: string) => number): Goal => {
    const all = [...weights.keys()].map((path) => ({ path, bytes: figure(path) }));
    const { path, bytes } = all.reduce((a, b) => (b.bytes > a.bytes ? b : a));
    return {
      what: `${what} at most ${limit / 1000} kB on every page`,
      measured: `${kilobytes(bytes)} kB at worst (\`${path}\`)`,
      met: bytes <= limit,
    };
  };
  const of = (path: string) => weights.get(path);
  return [
    goal('script at load, before any touch,', scriptLimit, (path) => of(path)?.load.scripts ?? 0),
    goal('script once the form is awake', awakeLimit, (path) => of(path)?.awake?.scripts ?? 0),
    goal('all at load', byteLimit, (path) => of(path)?.load.total ?? 0),
  ];
}

type Runs = Map<string, Run[]>;

/** Round by round, so that a busy minute of the machine hits ours and the peer alike. */
async function inRounds(targets: Target[]): Promise<Runs> {
  const runs: Runs = new Map(targets.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    const chrome = await startChrome();
    stepBack();
    try {
      for (const { name, url, skipAudits } of targets) {
        runs.get(name)?.push(await measurePage(url, chrome, skipAudits));
      }
    } finally {
      chrome.kill();
      comeForward();
    }
  }
  return runs;
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

const middle = (runs: Run[], figure: (run: Run) => number) => median(runs.map(figure));
const kilobytes = (bytes: number) => (bytes / 1000).toFixed(1);

function table(all: Runs): Table {
  const rows = [...all].map(([name, runs]) => {
    const apart = (figure: (run: Run) => number, digits: number) =>
      spread(runs.map(figure), digits);
    return [
      name,
      categories.map((_, index) => middle(runs, ({ scores }) => scores[index] ?? 0)).join(' '),
      apart(({ fcp }) => fcp, 2),
      apart(({ lcp }) => lcp, 2),
      apart(({ tbt }) => tbt, 0),
      middle(runs, ({ cls }) => cls).toFixed(3),
      kilobytes(middle(runs, ({ bytes }) => bytes)),
      kilobytes(middle(runs, ({ scriptBytes }) => scriptBytes)),
    ];
  });
  return {
    title: `Scores are ${categories.join(', ')}`,
    head: ['page', 'scores', 'FCP s', 'LCP s', 'TBT ms', 'CLS', 'kB', 'script kB'],
    rows,
  };
}

function goals(all: Runs): Goal[] {
  const ours = [...all].filter(([name]) => name !== peer);
  /** The page furthest from the goal, by its median. */
  const worst = (figure: (run: Run) => number) =>
    ours
      .map(([name, runs]) => ({ name, value: middle(runs, figure) }))
      .reduce((a, b) => (b.value > a.value ? b : a));
  const atMost = (
    what: string,
    figure: (run: Run) => number,
    limit: number,
    show: (value: number) => string,
  ): Goal => {
    const { name, value } = worst(figure);
    return { what, measured: `${show(value)} at worst (\`${name}\`)`, met: value <= limit };
  };
  const blocking = worst(({ tbt }) => tbt);
  const plainBlocking = middle(all.get(peer) ?? [], ({ tbt }) => tbt);
  const missing = worst(({ scores }) => 100 - Math.min(...scores));
  return [
    {
      what: '100 in all four categories on every page',
      measured: `${100 - missing.value} at worst${missing.value > 0 ? ` (\`${missing.name}\`)` : ''}`,
      met: missing.value === 0,
    },
    atMost('FCP at most 0.70 s on every page', ({ fcp }) => fcp, 0.7, seconds),
    atMost('LCP at most 1.00 s on every page', ({ lcp }) => lcp, 1, seconds),
    atMost(
      'CLS 0.000 on every page',
      ({ cls }) => cls,
      0.0005,
      (shift) => shift.toFixed(3),
    ),
    {
      what: `TBT on every page at most ${blockingLimit} ms more than that of the same page without a script`,
      measured: `${whole(blocking.value)} at worst (\`${blocking.name}\`) and ${whole(plainBlocking)}`,
      met: blocking.value - plainBlocking <= blockingLimit,
    },
    besidePeer('FCP', all, ({ fcp }) => fcp),
    besidePeer('LCP', all, ({ lcp }) => lcp),
  ];
}

const whole = (ms: number) => `${Math.round(ms)} ms`;
const seconds = (value: number) => `${value.toFixed(2)} s`;

function besidePeer(name: string, all: Runs, figure: (run: Run) => number): Goal {
  const of = (page: string) => middle(all.get(page) ?? [], figure);
  const [ours, plain] = [of('/'), of(peer)];
  return {
    what: `${name} of \`/\` at most ${times(ratioLimit)} that of the same page without a script`,
    measured: `${times(ours / plain)} (${seconds(ours)} and ${seconds(plain)})`,
    met: ours <= ratioLimit * plain,
  };
}
