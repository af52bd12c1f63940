import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Cache, type Input, makerOf } from './cache.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cache-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** What is found when a build with `maker` asks for a result that it would make as `fresh`. */
const ask = <T>(fresh: T, inputs: Input[] = ['in'], step = 'step', maker = 'code') =>
  new Cache(folder, maker).kept(step, inputs, () => fresh);

describe('a result', () => {
  it('is kept as it was made', async () => {
    const result = { name: 'a', data: Buffer.from([1, 2]), list: [{ deep: 'ü' }] };
    expect(await ask<unknown>(result)).toEqual(result);
    expect(await ask<unknown>('made again')).toEqual(result);
  });

  it.each<[string, Parameters<typeof ask>]>([
    ['an input', ['new', ['out']]],
    ['the bytes of an input', ['new', [Buffer.from('im')]]],
    ['the number of inputs', ['new', ['in', '']]],
    ['where one input ends', ['new', ['i', 'n']]],
    ['the step', ['new', ['in'], 'another step']],
    ['the code', ['new', ['in'], 'step', 'newer code']],
  ])('is made again for a change of %s', async (_, changed) => {
    await ask('old');
    expect(await ask(...changed)).toBe('new');
    expect(await ask('unused')).toBe('old');
  });

  it('is made again when its file is damaged', async () => {
    await ask('old');
    const [name = ''] = await readdir(folder);
    const file = join(folder, name);
    const whole = await readFile(file);
    for (const damaged of [whole.subarray(1), whole.subarray(0, -1), Buffer.alloc(0)]) {
      await writeFile(file, damaged);
      expect(await ask('new')).toBe('new');
    }
  });

  it('is made once for all who ask at the same time', async () => {
    const cache = new Cache(folder, 'code');
    let made = 0;
    const both = ['a', 'a'].map((input) => cache.kept('step', [input], () => ++made));
    expect(await Promise.all(both)).toEqual([1, 1]);
  });

  it('is not kept when making it fails', async () => {
    const failing = new Cache(folder, 'code').kept('step', ['in'], () => {
      throw new Error('no font');
    });
    await expect(failing).rejects.toThrow('no font');
    expect(await readdir(folder)).toEqual([]);
  });
});

it('trimming keeps what was asked for and the newest of the rest, up to the limit', async () => {
  const size = 1000;
  for (const [age, input] of ['newest', 'newer', 'old'].entries()) {
    const before = new Set(await readdir(folder));
    await ask('x'.repeat(size), [input]);
    const name = (await readdir(folder)).find((file) => !before.has(file)) ?? '';
    const day = new Date(2026, 1, 20 - age);
    await utimes(join(folder, name), day, day);
  }
  const cache = new Cache(folder, 'code', 1.5 * size);
  await cache.kept('step', ['old'], () => 'gone');
  await cache.trim();
  const found = await Promise.all(
    ['newest', 'newer', 'old'].map((input) => cache.kept('step', [input], () => 'gone')),
  );
  expect(found.map((text) => text.length)).toEqual([size, 'gone'.length, size]);
});

describe('the maker of the results', () => {
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  const maker = () => makerOf(join(folder), join(folder, 'packages.json'));
  beforeEach(async () => {
    await mkdir(join(folder, 'testing'));
    for (const name of ['step.ts', 'step.test.ts', 'testing/copy.ts', 'packages.json']) {
      await write(name, 'old');
    }
  });

  it.each(['step.ts', 'helper.ts', 'packages.json'])(
    'is another after a change of %s',
    async (name) => {
      const before = maker();
      await write(name, 'new');
      expect(maker()).not.toBe(before);
    },
  );

  it.each(['step.test.ts', 'testing/copy.ts'])('is the same after a change of %s', async (name) => {
    const before = maker();
    await write(name, 'new');
    expect(maker()).toBe(before);
  });
});

/** Code outside `build/` is no part of the maker. */
it('what makes the kept results runs on nothing of web/src', async () => {
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
  for (const step of ['fonts', 'pictures', 'icons', 'og', 'dist']) await visit(`./${step}.ts`);
  expect(seen.size).toBeGreaterThan(10);
});
