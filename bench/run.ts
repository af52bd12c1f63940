/**
 * Every benchmark against its peers, in one run: `node run.ts` for all,
 * `node run.ts server leads` for some. Each section writes its file in results/.
 * `BENCH_ROUNDS=1` measures pages and input once, to see that it works.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
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
for (const name of named.length > 0 ? named : Object.keys(sections)) {
  console.error(`measuring: ${name}`);
  const section = await measured(name);
  if (!section) continue;
  goals.push(...section.goals);
  const text = markdown(section);
  console.log(`${text}\n`);
  // A trial is no result.
  if (!process.env.BENCH_ROUNDS) await writeResults(name, text);
}
const met = goals.filter((goal) => goal.met).length;
console.log(`${goalTable(goals)}\n\n${met} of ${goals.length} goals met`);

async function writeResults(name: string, text: string) {
  const folder = new URL('results/', import.meta.url);
  await mkdir(folder, { recursive: true });
  const machine = `${cpus().length} x ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  const day = new Date().toISOString().slice(0, 10);
  const about = `Written by \`make bench\` on ${day}: ${machine}. Figures are medians with their lowest and highest round in brackets; compare within a file, never across machines.`;
  await writeFile(new URL(`${name}.md`, folder), `${text}\n\n${about}\n`);
}

/** One section that cannot be measured does not take the others' figures with it. */
async function measured(name: string): Promise<Section | undefined> {
  try {
    const module = await sections[name]?.();
    if (!module) throw new Error('there is no such section');
    return await module.measure();
  } catch (error) {
    process.exitCode = 1;
    console.error(error);
    goals.push({ what: `${name} is measured`, measured: 'it could not be', met: false });
  }
}
