// @vitest-environment node
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderAsync } from '@resvg/resvg-js';
import { expect, it } from 'vitest';
import { buildMark, withMark } from './mark.ts';
import { paths } from './paths.ts';
import { buildPicture } from './pictures.ts';

const xmlns = 'xmlns="http://www.w3.org/2000/svg"';
const wide = '<path fill="#f00" d="M0 0h80v40H0z"/>';

it.each([
  `<svg ${xmlns} viewBox="0 0 80 40">${wide}</svg>`,
  `<svg ${xmlns} width="80" height="40">${wide}</svg>`,
  `<svg ${xmlns} width="8in" height="4in" viewBox="0 0 80 40">${wide}</svg>`,
])('a wide drawing stands in the middle of a square: %s', async (source) => {
  const { pixels, width, height } = await renderAsync(await buildMark('wide.svg', source));
  expect([width, height]).toEqual([32, 32]);
  const middle = (y: number) => pixels.subarray(4 * (y * 32 + 16), 4 * (y * 32 + 17));
  const rows = [7, 8, 23, 24].map((y) => middle(y).toString('hex'));
  expect(rows).toEqual(['00000000', 'ff0000ff', 'ff0000ff', '00000000']);
});

const heavy = `<image href="data:image/png;base64,${'A'.repeat(30_000)}"/>`;

it.each([
  ['without a size', `<svg ${xmlns}>${wide}</svg>`, 'the root element has no width'],
  ['that is none', 'PNG', ''],
  ['that is heavy', `<svg ${xmlns} viewBox="0 0 80 40">${heavy}</svg>`, 'has 31 kB, and 30 kB is'],
])('a drawing %s is refused with its name', async (_, source, message) => {
  await expect(buildMark('wide.svg', source)).rejects.toThrow(`wide.svg: ${message}`);
});

/** As owners' programs write one: ids that drawings have as well, and a style. */
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
    const built = buildPicture(name, await withMark(read(name), mark));
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
