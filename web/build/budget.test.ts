/** A first visit stays light: these limits hold for what `make web-for-tests` has built. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Packed, unpack } from './pack.ts';
import { frozen } from './testing/frozen.ts';
import { Weights } from './testing/weights.ts';

const limits = {
  page: 12_900,
  /** What a page asks for by itself. */
  script: 6_450,
  /** The same, what stands in the page itself, the particles, and all that the contact form needs to wake. */
  awake: 69_600,
  fonts: 26_000,
  /** All that comes before the visitor does anything, but for pictures on the first screen. */
  atLoad: 46_000,
};

const site = new Weights(unpack(readFileSync(join(frozen.dist, 'site.pack'))));
const sum = (files: Packed[]) => files.reduce((total, file) => total + site.of(file), 0);
const fonts = site.files.filter(({ type }) => type === 'font/woff2');

describe.each(site.pages)('$path', (page) => {
  it(`has at most ${limits.page} bytes of HTML`, () => {
    expect(site.of(page)).toBeLessThanOrEqual(limits.page);
  });

  it(`asks for one script of at most ${limits.script} bytes at first`, () => {
    const scripts = site.scripts(page);
    expect(scripts).toHaveLength(page.scriptHashes.length);
    expect(sum(scripts)).toBeLessThanOrEqual(limits.script);
  });

  it(`takes at most ${limits.atLoad} bytes with its fonts and its script`, () => {
    expect(sum([page, ...fonts, ...site.scripts(page)])).toBeLessThanOrEqual(limits.atLoad);
  });
});

it(`with its contact form awake, the home page has taken at most ${limits.awake} bytes of script`, () => {
  const home = site.pages.find(({ path }) => path === '/') as Packed;
  const particles = ['start-particles', 'particles-worker'];
  const scripts = site.scriptsOf('entry-client', 'hydrate', 'contact-form', ...particles);
  expect(sum(scripts) + site.inline(home)).toBeLessThanOrEqual(limits.awake);
});

it(`there are two fonts, together at most ${limits.fonts} bytes`, () => {
  expect(fonts).toHaveLength(2);
  expect(sum(fonts)).toBeLessThanOrEqual(limits.fonts);
});

it('scripts are counted with what they import, once each, and without what they only may load', () => {
  const sources: Record<string, string> = {
    'page.html': '<script data-entry="/assets/entry.js"></script>',
    'assets/entry.js': 'import{a}from"./more.js";const later=()=>import("./lazy.js");a(later)',
    'assets/more.js': 'import*as s from"./shared.js";import"./side.js";export{b}from"./other.js"',
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
  expect(names?.toSorted()).toEqual(['entry.js', 'more.js', 'other.js', 'shared.js', 'side.js']);
});
