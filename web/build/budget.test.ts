/** A first visit stays light: these limits hold for what `make web` has built. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Packed, unpack } from './pack.ts';
import { paths } from './paths.ts';
import { Weights } from './testing/weights.ts';

/** One round trip on a fresh connection: ten packets. */
const pageLimit = 14_600;
const scriptLimit = 75_600;
const fontLimit = 36_000;

const site = new Weights(unpack(readFileSync(join(paths.dist, 'site.pack'))));
const sum = (sizes: number[]) => sizes.reduce((total, size) => total + size, 0);

describe.each(site.pages)('$path', (page) => {
  it(`has at most ${pageLimit} bytes of HTML`, () => {
    expect(site.of(page)).toBeLessThanOrEqual(pageLimit);
  });

  it(`asks for at most ${scriptLimit} bytes of script at first`, () => {
    const scripts = site.scripts(page);
    if (page.scriptHashes.length) expect(scripts.length).toBeGreaterThanOrEqual(2);
    expect(sum(scripts.map((script) => site.of(script)))).toBeLessThanOrEqual(scriptLimit);
  });
});

it(`there are two fonts, together at most ${fontLimit} bytes`, () => {
  const fonts = site.files.filter(({ type }) => type === 'font/woff2');
  expect(fonts).toHaveLength(2);
  expect(sum(fonts.map((font) => site.of(font)))).toBeLessThanOrEqual(fontLimit);
});

it('scripts are counted with what they import, once each, and without what they only may load', () => {
  const sources: Record<string, string> = {
    'page.html': '<script data-modules="/assets/entry.js /assets/page.js"></script>',
    'assets/entry.js': 'import{a}from"./shared.js";const later=()=>import("./lazy.js");a(later)',
    'assets/page.js': 'import*as s from"./shared.js";import"./side.js";export{b}from"./other.js"',
    'assets/shared.js': 'export const a=()=>"import x from no file"',
    'assets/side.js': '',
    'assets/other.js': 'export const b=1',
    'assets/lazy.js': 'export{}',
  };
  const files = Object.entries(sources).map(
    ([file, source]): Packed => ({
      path: `/${file}`,
      kind: 'asset',
      type: '',
      status: 200,
      scriptHashes: [],
      styleHashes: [],
      bodies: [{ encoding: 'identity', bytes: Buffer.from(source) }],
    }),
  );
  const weights = new Weights(files);
  const [page] = weights.files;
  const names = page && weights.scripts(page).map(({ path }) => path.replace('/assets/', ''));
  expect(names?.toSorted()).toEqual(['entry.js', 'other.js', 'page.js', 'shared.js', 'side.js']);
});
