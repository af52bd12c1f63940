import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { renderAsync } from '@resvg/resvg-js';
import { expect, it } from 'vitest';
import { buildDrawings, buildMark, buildPicture, withMark } from './drawings.ts';
import { paths } from './paths.ts';

const still = '@media (prefers-reduced-motion:reduce){*{animation:none!important}}';

it('a drawing with text is refused: an image can’t use the page’s fonts', async () => {
  const source = '<svg xmlns="http://www.w3.org/2000/svg"><text>Hi</text></svg>';
  await expect(buildPicture('sketch.svg', source)).rejects.toThrow('sketch.svg: has text: convert');
});

const { pictures, files } = await buildDrawings(paths.pictures, undefined);

it.each([...pictures])(
  '%s is light, refers to nothing outside, moves only as part of the page, and comes to rest',
  (_, { src }) => {
    const svg = String(files.get(src));
    expect(svg).not.toMatch(/<text|<image|href="(?!#)|url\((?!#)/);
    expect(brotliCompressSync(svg).length).toBeLessThan(12_000);
    const [, css = ''] = svg.split(/<\/?style>/);
    if (!css.includes('animation')) return;
    expect(css).toContain(still);
    expect(css).not.toContain('infinite');
    const frames = /@keyframes [^{]+\{((?:[^{}]*\{[^{}]*\})*)\}/g;
    const moved = [...css.matchAll(frames)].flatMap(([, body = '']) => body.match(/[\w-]+(?=:)/g));
    for (const property of moved)
      expect(property).toMatch(/^(transform|opacity|animation-timing-function)$/);
    const rules = css.replace(still, '').replaceAll(frames, '');
    for (const [, selectors = ''] of rules.matchAll(/([^{}]+)\{[^{}]*animation/g))
      for (const selector of selectors.split(',')) expect(selector).toMatch(/^:host /);
  },
);

const xmlns = 'xmlns="http://www.w3.org/2000/svg"';
const wide = '<path fill="#f00" d="M0 0h80v40H0z"/>';

it.each([
  `<svg ${xmlns} viewBox="0 0 80 40">${wide}</svg>`,
  `<svg ${xmlns} width="80" height="40">${wide}</svg>`,
  `<svg ${xmlns} width="8in" height="4in" viewBox="0 0 80 40">${wide}</svg>`,
])('a wide drawing is centred in a square: %s', async (source) => {
  const { pixels, width, height } = await renderAsync(await buildMark('wide.svg', source));
  expect([width, height]).toEqual([32, 32]);
  const middle = (y: number) => pixels.subarray(4 * (y * 32 + 16), 4 * (y * 32 + 17));
  const rows = [7, 8, 23, 24].map((y) => middle(y).toString('hex'));
  expect(rows).toEqual(['00000000', 'ff0000ff', 'ff0000ff', '00000000']);
});

const heavy = `<image href="data:image/png;base64,${'A'.repeat(30_000)}"/>`;

it.each([
  ['without a size', `<svg ${xmlns}>${wide}</svg>`, 'the root element has no width'],
  ['that isn’t one', 'PNG', ''],
  [
    'that is heavy',
    `<svg ${xmlns} viewBox="0 0 80 40">${heavy}</svg>`,
    'is 31 kB, and the limit is 30 kB',
  ],
])('a drawing %s is refused with its name', async (_, source, message) => {
  await expect(buildMark('wide.svg', source)).rejects.toThrow(`wide.svg: ${message}`);
});

/** As drawing programs write it: with a style, and an id that our drawings have, too. */
const styled = `<svg ${xmlns} viewBox="0 0 32 32"><style>.q1{fill:url(#card)}</style>
  <linearGradient id="card"><stop stop-color="#123456"/></linearGradient>
  <path class="q1" d="M0 0h32v32H0z"/><path style="fill:#abcdef" d="M4 4h8v8H4z"/></svg>`;

it('every drawing that shows our mark shows the owner’s instead, without its ids and styles', async () => {
  const read = (name: string) => readFileSync(join(paths.pictures, name), 'utf8');
  const [, letter = ''] = / d="([^"]+)"/.exec(read('mark.svg')) ?? [];
  const names = readdirSync(paths.pictures).filter((name) => name !== 'mark.svg');
  const showing = names.filter((name) => read(name).includes(letter));
  expect(showing).toHaveLength(3);
  const mark = await buildMark('styled.svg', styled);
  for (const name of showing) {
    const built = await buildPicture(name, await withMark(read(name), mark));
    expect(built, name).not.toContain(letter);
    expect(built.match(/<style>/g), name).toHaveLength(1);
    const [, group = ''] = /<g id="mark"[^>]*>(.*?)<\/g>/s.exec(built) ?? [];
    const [, gradient] = /<path fill="url\(#(\w+)\)"/.exec(group) ?? [];
    expect(gradient, name).not.toBe('card');
    expect(group, name).toContain(`id="${gradient}"`);
    expect(group, name).toContain('fill="#abcdef"');
    expect(group, name).not.toMatch(/class="q1"|style=/);
  }
});
