import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cacheIn, type Input } from './cache.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cache-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Asks as a build with this code does; its result would be `fresh`. */
const ask = <T>(fresh: T, inputs: Input[] = ['in'], step = 'step', code = 'code') =>
  cacheIn(folder, code).getOrMake(step, inputs, () => fresh);

it('a result is kept as it was made', async () => {
  const result = { name: 'a', data: Buffer.from([1, 2]), list: [{ deep: 'ü' }] };
  expect(await ask<unknown>(result)).toEqual(result);
  expect(await ask<unknown>('made again')).toEqual(result);
});

it.each<[string, Parameters<typeof ask>]>([
  ['an input', ['new', ['out']]],
  ['the bytes of an input', ['new', [Buffer.from('im')]]],
  ['where one input ends', ['new', ['i', 'n']]],
  ['the step', ['new', ['in'], 'another step']],
  ['the code', ['new', ['in'], 'step', 'newer code']],
])('a result is made again for a change of %s', async (_, changed) => {
  await ask('old');
  expect(await ask(...changed)).toBe('new');
  expect(await ask('unused')).toBe('old');
});

it('a result is deleted once nobody has asked for it in a month', async () => {
  await ask('old');
  const cache = cacheIn(folder, 'code');
  await cache.trim();
  expect(await readdir(folder)).toHaveLength(1);
  await cache.trim(Date.now() + 31 * 24 * 60 * 60 * 1000);
  expect(await readdir(folder)).toEqual([]);
});

/** Code outside `build/` isn't part of the hash. */
it('cached results depend on no code of web/src', async () => {
  const seen = new Set<string>();
  const visit = async (name: string) => {
    if (seen.has(name)) return;
    seen.add(name);
    const code = await readFile(join(import.meta.dirname, name), 'utf8');
    const imports = code.matchAll(/^(?:import|export) (?!type\b)[^;]*?from '(\.[^']*)'/gm);
    for (const [, path = ''] of imports) {
      expect(path, name).toMatch(/^\.\/[^/]+\.ts$/);
      await visit(path);
    }
  };
  for (const step of ['fonts', 'drawings', 'icons', 'og', 'photos', 'dist'])
    await visit(`./${step}.ts`);
  expect(seen.size).toBeGreaterThan(8);
});
