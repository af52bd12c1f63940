/** Leads on disk a second: our program against the usual one, and against itself. */
import { join } from 'node:path';
import { emptyFolder, folders, run, startFrontdoor } from '../support/child.ts';
import { median, spread, times } from '../support/figures.ts';
import { startFastifyLeads } from '../support/peers.ts';
import type { Section } from '../support/report.ts';
import { connections, type Load, wrk } from '../support/wrk.ts';

const rounds = 7;
const seconds = 3;
const goal = 5;
const postgresGoal = 3;
const script = join(folders.bench, 'support/post-lead.lua');

const bench = ['bench', '--quiet', '--bench', 'store', '--'];

type Round = Pick<Load, 'perSecond' | 'p99'>;

export async function measure(): Promise<Section> {
  const [ours, fastify] = await overHttp();
  const { together, alone } = await inTheStore(['cargo', ...bench, 'leads']);
  const postgres = await inTheStore([
    'scripts/with-postgres',
    '--durable',
    'cargo',
    ...bench,
    'leads-postgres',
  ]);
  const againstFastify = ratio(ours, fastify);
  const againstAlone = ratio(together, alone);
  const onPostgres = ratio(postgres.together, postgres.alone);
  const row = (name: string, found: Round[], against: string) => [
    name,
    spread(found.map(({ perSecond }) => perSecond / 1000)),
    spread(found.map(({ p99 }) => p99)),
    against,
  ];
  return {
    title: 'Leads',
    method:
      `${connections} clients, each waiting for its answer, each answer given after the lead is synced to disk ` +
      '(SQLite in WAL mode, synchronous=FULL, for all). Over HTTP wrk posts JSON and both programs store one row a lead; ' +
      'in the store our own writer is asked directly, for a lead and its delivery, with and without sharing transactions; ' +
      'PostgreSQL has its own disk writes waited for (fsync and synchronous_commit on) and without sharing as many ' +
      'transactions at once as there are writers. ' +
      `${rounds} rounds, in turns.`,
    tables: [
      {
        title: 'Thousand leads a second',
        head: ['what', 'leads', 'p99, ms', 'ratio'],
        rows: [
          row('frontdoor, over HTTP', ours, ''),
          row('fastify + better-sqlite3, over HTTP', fastify, times(againstFastify)),
          row('frontdoor, in the store', together, ''),
          row('the same, one transaction per lead', alone, times(againstAlone)),
          row('frontdoor, in the store, on PostgreSQL', postgres.together, ''),
          row('the same, one transaction per lead', postgres.alone, times(onPostgres)),
        ],
      },
    ],
    goals: [
      {
        what: `at least ${goal} times fastify + better-sqlite3`,
        measured: times(againstFastify),
        met: againstFastify >= goal,
      },
      {
        what: `at least ${goal} times our own code with one transaction per request`,
        measured: times(againstAlone),
        met: againstAlone >= goal,
      },
      {
        what: `on PostgreSQL, at least ${postgresGoal} times our own code with one transaction per request`,
        measured: times(onPostgres),
        met: onPostgres >= postgresGoal,
      },
    ],
  };
}

async function overHttp(): Promise<[Round[], Round[]]> {
  const ours = await startFrontdoor();
  const fastify = await startFastifyLeads(join(await emptyFolder('fastify'), 'leads.db'));
  const [oursFound, fastifyFound]: [Round[], Round[]] = [[], []];
  try {
    for (let round = 0; round < rounds; round++) {
      oursFound.push(await post(ours.url));
      fastifyFound.push(await post(fastify.url));
    }
  } finally {
    await Promise.all([ours.stop(), fastify.stop()]);
  }
  return [oursFound, fastifyFound];
}

function post(url: string): Promise<Round> {
  return wrk(new URL('/api/contacts', url).href, { seconds, script });
}

async function inTheStore(command: string[]): Promise<{ together: Round[]; alone: Round[] }> {
  return JSON.parse(await run(command, { minutes: 15 }));
}

function ratio(ours: Round[], theirs: Round[]): number {
  return median(
    ours.map(({ perSecond }, round) => perSecond / (theirs[round]?.perSecond ?? Number.NaN)),
  );
}
