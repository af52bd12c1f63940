import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { buildIcons } from './icons.ts';
import { paths } from './paths.ts';

const mark = await readFile(join(paths.pictures, 'mark.svg'), 'utf8');
const icons = new Map(
  (await buildIcons(mark, '#09080f')).map(({ path, data }) => [path.slice(1), data]),
);
const pixels = (name: string) => sharp(icons.get(name)).raw().toBuffer({ resolveWithObject: true });

it.each([
  ['apple-touch-icon.png', 180, 0.7],
  ['icon-maskable-512.png', 512, 0.54],
])('%s has the mark on opaque ink, in the middle, at its share of the width', async (...icon) => {
  const [name, size, share] = icon;
  const { data, info } = await pixels(name);
  expect(info).toMatchObject({ width: size, height: size, channels: 3 });
  const isInk = (x: number, y: number) =>
    data.subarray((y * size + x) * 3, (y * size + x) * 3 + 3).toString('hex') === '09080f';
  const middle = Array.from({ length: size }, (_, x) => x).filter((x) => !isInk(x, size / 2));
  expect(middle.length / size).toBeCloseTo(share, 1);
  expect((middle[0] ?? 0) + (middle.at(-1) ?? 0)).toBeCloseTo(size - 1, -1);
});

it.each([192, 512])('the icon of %i pixels has clear corners', async (size) => {
  const { data, info } = await pixels(`icon-${size}.png`);
  expect(info).toMatchObject({ width: size, height: size, channels: 4 });
  const alpha = (x: number, y: number) => data[(y * size + x) * 4 + 3];
  expect([alpha(0, 0), alpha(size / 2, size / 2)]).toEqual([0, 255]);
});

it('favicon.ico has three sizes, each at the offset in its entry', () => {
  const ico = icons.get('favicon.ico') ?? Buffer.of();
  const entries = Array.from({ length: ico.readUInt16LE(4) }, (_, index) => 6 + index * 16);
  const sizes = entries.map((entry) => {
    const png = ico.subarray(ico.readUInt32LE(entry + 12));
    expect(png.toString('latin1', 1, 4)).toBe('PNG');
    return [ico.readUInt8(entry), png.readUInt32BE(16)];
  });
  expect(sizes).toEqual([
    [16, 16],
    [32, 32],
    [48, 48],
  ]);
});
