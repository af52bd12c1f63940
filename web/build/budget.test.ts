/** A first visit stays light: these limits, in bytes of brotli, hold for what `make web-for-tests` has built. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type Packed, text, unpack } from './pack.ts';
import { frozen } from './testing/frozen.ts';

const limits = {
  page: 12_900,
  /** The one that every page loads. */
  script: 6_450,
  /** That one, the page's inline script, the particles, and what the contact form needs to wake. */
  awake: 69_600,
  fonts: 26_000,
  /** Everything that loads before the visitor does anything, except pictures on the first screen. */
  atLoad: 46_000,
};

const files = unpack(readFileSync(join(frozen.dist, 'site.pack')));
const pages = files.filter(({ kind }) => kind === 'page' || kind === 'template');
const fonts = files.filter(({ type }) => type === 'font/woff2');

/** As it is sent. The server compresses a template after it has filled it in. */
function weight({ bodies, kind }: Packed): number {
  const brotli = bodies.find(({ encoding }) => encoding === 'br');
  const plain = bodies[0]?.bytes ?? Buffer.of();
  if (brotli) return brotli.bytes.length;
  return kind === 'template' ? brotliCompressSync(plain).length : plain.length;
}
const sum = (some: Iterable<Packed>) => [...some].reduce((total, file) => total + weight(file), 0);

/** Scripts with everything they import statically: `from "./x.js"`, but not `import("./x.js")`. */
function withImports(paths: string[], found = new Set<Packed>()): Set<Packed> {
  for (const path of paths) {
    const file = files.find((each) => each.path === path);
    if (!file) throw new Error(`${path} is not among the built files`);
    if (found.has(file)) continue;
    const imported = [...text(file).matchAll(/(?:from|import) ?["'](\.\/[^"']+)["']/g)];
    withImports(
      imported.map(([, name = '']) => join(dirname(path), name)),
      found.add(file),
    );
  }
  return found;
}
const entry = (page: Packed) => /data-entry="([^"]*)"/.exec(text(page))?.slice(1) ?? [];

describe.each(pages)('$path', (page) => {
  it('is within its limits', () => {
    const scripts = withImports(entry(page));
    expect(scripts.size).toBe(page.scriptHashes.length);
    expect(text(page).match(/<link rel="preload"[^>]* crossorigin>/g)).toHaveLength(fonts.length);
    expect(weight(page)).toBeLessThanOrEqual(limits.page);
    expect(sum(scripts)).toBeLessThanOrEqual(limits.script);
    expect(sum([page, ...fonts, ...scripts])).toBeLessThanOrEqual(limits.atLoad);
  });
});

it('the home page with its contact form awake is within its limit', () => {
  const home = pages.find(({ path }) => path === '/') as Packed;
  const names = /\/(hydrate|contact-form|start-particles|particles-worker)-[^/]+\.js$/;
  const later = files.map(({ path }) => path).filter((path) => names.test(path));
  expect(later).toHaveLength(4);
  const inline = /<script data-entry.*?<\/script>/s.exec(text(home))?.[0] ?? '';
  const scripts = withImports([...entry(home), ...later]);
  expect(sum(scripts) + brotliCompressSync(inline).length).toBeLessThanOrEqual(limits.awake);
});

it('the two fonts are within their limit', () => {
  expect(fonts).toHaveLength(2);
  expect(sum(fonts)).toBeLessThanOrEqual(limits.fonts);
});
