/**
 * Every benchmark against its peers, in one run: `node run.ts` for all,
 * `node run.ts server leads` for some. A full run also writes results.md.
 * `BENCH_ROUNDS=1` measures pages and input once, to see that it works.
 */
import { rm, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { folders } from './support/child.ts';
import { type Goal, goalTable, markdown, type Section } from './support/report.ts';

const sections: Record<string, () => Promise<{ measure: () => Promise<Section> }>> = {
  server: () => import('./sections/server.ts'),
  leads: () => import('./sections/leads.ts'),
  growth: () => import('./sections/growth.ts'),
  pages: () => import('./sections/pages.ts'),
  interaction: () => import('./sections/interaction.ts'),
  posts: () => import('./sections/posts.ts'),
};

const named = process.argv.slice(2);
const unknown = named.find((name) => !(name in sections));
if (unknown)
  throw new Error(`no section ${unknown}; there are ${Object.keys(sections).join(', ')}`);

await rm(folders.tmp, { recursive: true, force: true });
const goals: Goal[] = [];
const texts: string[] = [];
for (const name of named.length > 0 ? named : Object.keys(sections)) {
  console.error(`measuring: ${name}`);
  const section = await measured(name);
  goals.push(...section.goals);
  texts.push(markdown(section));
  console.log(`${texts.at(-1)}\n`);
  // Each time: a run that is cut short leaves what it has.
  if (named.length === 0) await writeResults();
}
console.log(`${goalTable(goals)}\n\n${summary()}`);

function summary(): string {
  return `${goals.filter(({ met }) => met).length} of ${goals.length} goals met`;
}

async function writeResults() {
  const machine = `${cpus().length} x ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  const about = `Written by \`make bench\` on ${new Date().toISOString().slice(0, 10)}: ${machine}. Figures are medians with their lowest and highest round in brackets; compare within a run, never across machines.`;
  const page = ['# Benchmarks', about, `**${summary()}.**`, goalTable(goals), ...texts];
  await writeFile(new URL('results.md', import.meta.url), `${page.join('\n\n')}\n`);
}

/** One section that cannot be measured does not take the others' figures with it. */
async function measured(name: string): Promise<Section> {
  try {
    const module = await sections[name]?.();
    if (!module) throw new Error('there is no such section');
    return await module.measure();
  } catch (error) {
    process.exitCode = 1;
    console.error(error);
    const goal = { what: `${name} is measured`, measured: String(error), met: false };
    return { title: name, method: 'It could not be measured.', tables: [], goals: [goal] };
  }
}
