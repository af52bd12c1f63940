/** The home page from one core, against the usual ways to serve one. */
import { type Child, serverCore, startFrontdoor } from '../support/child.ts';
import { median, spread, times } from '../support/figures.ts';
import { acceptEncoding, copyHome } from '../support/home.ts';
import { peerVersions, startFastifyStatic, startNext, startNginx } from '../support/peers.ts';
import type { Goal, Section, Table } from '../support/report.ts';
import { connections, wrk } from '../support/wrk.ts';

const rounds = 15;
const seconds = 1;
const starts = 11;

type Contestant = {
  name: string;
  server: Child;
  /** What its own answer carries as a tag, for the 304s. */
  tag: string;
  perSecond: number[];
  /** Processor time for one request, in microseconds. */
  cost: number[];
  notModified: number[];
};

export async function measure(): Promise<Section> {
  const memory = await measureMemory();
  const startTimes = await measureStarts();
  const started: Child[] = [];
  let contestants: Contestant[];
  try {
    contestants = await startAll(started);
    for (let round = 0; round < rounds; round++) {
      // In turns, there and back, so that a machine that slows down slows all of them down.
      const order = round % 2 === 0 ? contestants : contestants.toReversed();
      for (const contestant of order) await measureRound(contestant);
    }
  } finally {
    await Promise.all(started.map((server) => server.stop()));
  }
  return {
    title: 'Server',
    method:
      `wrk with ${connections} kept connections on one core, the server on the other; the home page in brotli, ` +
      `the same security headers, a request id and an access log; ${rounds} rounds of ${seconds} s in turns. ` +
      `Next.js serves the same markup from its own prerendered page, and has no access log. ${await peerVersions()}.`,
    tables: [throughput(contestants), small(memory, startTimes)],
    goals: goals(contestants, memory, startTimes),
  };
}

/** Notes in `started` what must be stopped, also when a later one does not start. */
async function startAll(started: Child[]): Promise<Contestant[]> {
  const keep = (server: Child) => {
    started.push(server);
    return server;
  };
  const ours = keep(await startFrontdoor({}, serverCore));
  const home = await copyHome(ours.url);
  const servers = {
    frontdoor: ours,
    nginx: keep(await startNginx(home)),
    'fastify, static files': keep(await startFastifyStatic(home)),
    'next start': keep(await startNext(home)),
  };
  const entries = Object.entries(servers).map(async ([name, server]) => {
    const answer = await fetch(server.url, { headers: acceptEncoding });
    const length = (await answer.text()).length;
    if (!answer.ok || length < home.html.length / 2) throw new Error(`${name}: not the home page`);
    const tag = answer.headers.get('etag') ?? '';
    return { name, server, tag, perSecond: [], cost: [], notModified: [] };
  });
  return Promise.all(entries);
}

async function measureRound(contestant: Contestant) {
  const { server, tag } = contestant;
  const before = server.cpuSeconds;
  const load = await wrk(server.url, { seconds, headers: acceptEncoding });
  contestant.perSecond.push(load.perSecond);
  contestant.cost.push(((server.cpuSeconds - before) / load.requests) * 1e6);
  const headers = { ...acceptEncoding, 'if-none-match': tag };
  contestant.notModified.push((await wrk(server.url, { seconds: 1, headers })).perSecond);
}

/** Megabytes: just started, and the most under load. */
async function measureMemory(): Promise<{ idle: number; peak: number }> {
  const server = await startFrontdoor();
  const idle = server.memory.now;
  await wrk(server.url, { seconds: 3, headers: acceptEncoding });
  const { peak } = server.memory;
  await server.stop();
  return { idle, peak };
}

async function measureStarts(): Promise<number[]> {
  const found: number[] = [];
  for (let start = 0; start < starts; start++) {
    const server = await startFrontdoor();
    found.push(server.startedIn);
    await server.stop();
  }
  // The first one also warms up what measures.
  return found.slice(1);
}

function throughput(contestants: Contestant[]): Table {
  const [ours] = contestants;
  const rows = contestants.map((each) => [
    each.name,
    spread(thousands(each.perSecond)),
    ours === each ? '' : times(ratio(ours?.perSecond, each.perSecond)),
    spread(each.cost),
    spread(thousands(each.notModified)),
  ]);
  return {
    title: 'Thousand requests a second',
    head: ['server', 'home page', 'frontdoor against it', 'µs of processor each', '304'],
    rows,
  };
}

function small(memory: { idle: number; peak: number }, startTimes: number[]): Table {
  return {
    title: 'Footprint of frontdoor',
    head: ['what', 'figure'],
    rows: [
      ['idle memory, MB', memory.idle.toFixed(1)],
      ['most memory under load, MB', memory.peak.toFixed(1)],
      ['start to first 200, ms', spread(startTimes)],
    ],
  };
}

function goals(
  contestants: Contestant[],
  memory: { idle: number; peak: number },
  startTimes: number[],
): Goal[] {
  const [ours, nginx, fastify, next] = contestants;
  if (!ours || !nginx || !fastify || !next) throw new Error('a contestant is missing');
  const atLeast = (what: string, goal: number, measured: number): Goal => ({
    what,
    measured: times(measured),
    met: measured >= goal,
  });
  const below = (what: string, goal: number, measured: number, unit: string): Goal => ({
    what,
    measured: `${measured.toFixed(1)} ${unit}`,
    met: measured < goal,
  });
  return [
    atLeast("at least nginx's requests a second", 1, ratio(ours.perSecond, nginx.perSecond)),
    atLeast('at least 20 times `next start`', 20, ratio(ours.perSecond, next.perSecond)),
    atLeast('at least 5 times fastify', 5, ratio(ours.perSecond, fastify.perSecond)),
    atLeast('304s faster than pages', 1, ratio(ours.notModified, ours.perSecond)),
    below('idle memory under 25 MB', 25, memory.idle, 'MB'),
    below('under load below 64 MB', 64, memory.peak, 'MB'),
    below('start to first 200 under 50 ms', 50, median(startTimes), 'ms'),
  ];
}

const thousands = (values: number[]) => values.map((value) => value / 1000);

/** Round by round, since a round's figures share the machine's mood. */
function ratio(ours: number[] = [], theirs: number[] = []): number {
  return median(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)));
}
