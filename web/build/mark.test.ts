// @vitest-environment node
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderAsync } from '@resvg/resvg-js';
import { expect, it } from 'vitest';
import { buildIcons } from './icons.ts';
import { buildMark, withMark } from './mark.ts';
import { paths } from './paths.ts';
import { buildPicture } from './pictures.ts';

const wide = '<path fill="#f00" d="M0 0h80v40H0z"/>';
const xmlns = 'xmlns="http://www.w3.org/2000/svg"';

/** The colour in the middle of each row, top to bottom. */
async function middles(svg: string): Promise<string[]> {
  const { pixels, width, height } = await renderAsync(svg);
  return Array.from({ length: height }, (_, y) => {
    const at = 4 * (y * width + width / 2);
    return pixels.subarray(at, at + 4).toString('hex');
  });
}

it.each([
  ['with a viewBox', `<svg ${xmlns} viewBox="0 0 80 40">${wide}</svg>`],
  ['with a size', `<svg ${xmlns} width="80" height="40">${wide}</svg>`],
  ['with both', `<svg ${xmlns} width="8in" height="4in" viewBox="0 0 80 40">${wide}</svg>`],
])('a wide drawing %s stands in the middle of a square', async (_, source) => {
  const rows = await middles(await buildMark('wide.svg', source));
  expect(rows).toHaveLength(32);
  expect([7, 8, 23, 24].map((row) => rows[row])).toEqual([
    '00000000',
    'ff0000ff',
    'ff0000ff',
    '00000000',
  ]);
});

it('icons are made from it', async () => {
  const source = `<svg ${xmlns} viewBox="0 0 80 40">${wide}</svg>`;
  const icons = await buildIcons(await buildMark('wide.svg', source), '#000000');
  expect(icons.map(({ name }) => name)).toContain('icon-maskable-512.png');
});

it.each([
  ['without a size', `<svg ${xmlns}>${wide}</svg>`, 'wide.svg: the root element has no width'],
  ['that is none', 'PNG', 'wide.svg: '],
  [
    'that is heavy',
    `<svg ${xmlns} viewBox="0 0 80 40"><image href="data:image/png;base64,${'A'.repeat(30_000)}"/></svg>`,
    'wide.svg: has 31 kB, and 30 kB is the most',
  ],
])('a drawing %s is refused with its name', async (_, source, message) => {
  await expect(buildMark('wide.svg', source)).rejects.toThrow(message);
});

/** As owners' programs write one: names that drawings have as well, and a style. */
const styled = `<svg ${xmlns} viewBox="0 0 32 32"><style>.q1{fill:url(#card)}</style>
  <linearGradient id="card"><stop stop-color="#123456"/></linearGradient>
  <path class="q1" d="M0 0h32v32H0z"/><path style="fill:#abcdef" d="M4 4h8v8H4z"/></svg>`;

const drawings = readdirSync(paths.pictures)
  .filter((name) => name !== 'mark.svg')
  .map((name) => [name, readFileSync(join(paths.pictures, name), 'utf8')] as const);

it('no drawing shows the mark of the sample any more', async () => {
  const [, letter = ''] =
    / d="([^"]+)"/.exec(readFileSync(join(paths.pictures, 'mark.svg'), 'utf8')) ?? [];
  const showing = drawings.filter(([, drawing]) => drawing.includes(letter));
  expect(showing.map(([name]) => name)).toEqual([
    'ai-chatbots-card.svg',
    'ai-chatbots.svg',
    'post-ai-chatbots-convert.svg',
  ]);
  const mark = await buildMark('styled.svg', styled);
  for (const [name, drawing] of showing) {
    const built = buildPicture(name, await withMark(drawing, mark));
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

it('a drawing without a mark stays as it is', async () => {
  const [, plain = ''] = drawings.find(([name]) => name === 'about.svg') ?? [];
  expect(await withMark(plain, await buildMark('styled.svg', styled))).toBe(plain);
});
