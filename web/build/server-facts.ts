/**
 * What the server itself says about the site, in mails and as the proof of a
 * consent: `server.json`, which `src/content` takes in when it is compiled.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Content } from '../src/content/types.ts';

const name = 'server.json';

export function serverFacts({ site, pages }: Content) {
  const { consent_version: version, consent: wording } = pages.blog.newsletter;
  return { site, consent: { version, wording } };
}

/** Only when they are other ones: the compiler goes by the time of the file. */
export async function writeServerFacts(content: Content, dir: string) {
  const file = join(dir, name);
  const text = `${JSON.stringify(serverFacts(content), null, 2)}\n`;
  const before = await readFile(file, 'utf8').catch(() => undefined);
  if (before === text) return;
  await mkdir(dir, { recursive: true });
  await writeFile(file, text);
}

/** Removes all that an earlier build left but this file. */
export async function clearDist(dir: string) {
  const left = await readdir(dir).catch(() => []);
  const others = left.filter((each) => each !== name);
  await Promise.all(others.map((each) => rm(join(dir, each), { recursive: true })));
}
