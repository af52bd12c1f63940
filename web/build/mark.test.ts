// @vitest-environment node
import { renderAsync } from '@resvg/resvg-js';
import { expect, it } from 'vitest';
import { buildIcons } from './icons.ts';
import { buildMark } from './mark.ts';

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
