// @vitest-environment node
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildIcons, type IconFile } from './icons.ts';

const markFile = join(import.meta.dirname, '../pictures/mark.svg');
const PNG_SIGNATURE = '89504e470d0a1a0a';
let icons: IconFile[];

beforeAll(async () => {
  icons = await buildIcons(await readFile(markFile, 'utf8'), '#09080f');
});

function icon(name: string): Buffer {
  const file = icons.find((candidate) => candidate.name === name);
  if (!file) throw new Error(`no ${name}`);
  return file.data;
}

describe('buildIcons', () => {
  it.each([
    ['apple-touch-icon.png', 180],
    ['icon-192.png', 192],
    ['icon-512.png', 512],
    ['icon-maskable-512.png', 512],
  ])('draws %s at %i pixels', (name, size) => {
    const png = icon(name);
    expect(png.subarray(0, 8).toString('hex')).toBe(PNG_SIGNATURE);
    expect(png.readUInt32BE(16)).toBe(size);
    expect(png.readUInt32BE(20)).toBe(size);
  });

  it.each([
    ['apple-touch-icon.png', 0.7],
    ['icon-maskable-512.png', 0.54],
  ])('sets the mark of %s on opaque ink, at %d of its width', async (name, share) => {
    const { data, info } = await sharp(icon(name)).raw().toBuffer({ resolveWithObject: true });
    const { width, channels } = info;
    expect(channels).toBe(3);
    const isInk = (x: number, y: number) =>
      data.subarray((y * width + x) * 3, (y * width + x) * 3 + 3).toString('hex') === '09080f';
    const middle = Array.from({ length: width }, (_, x) => x).filter((x) => !isInk(x, width / 2));
    expect(middle.length / width).toBeCloseTo(share, 1);
    expect((middle[0] ?? 0) + (middle.at(-1) ?? 0)).toBeCloseTo(width - 1, -1);
    expect(isInk(0, 0) && isInk(width - 1, width - 1)).toBe(true);
  });

  it.each(['icon-192.png', 'icon-512.png'])('leaves the corners of %s clear', async (name) => {
    const { data, info } = await sharp(icon(name)).raw().toBuffer({ resolveWithObject: true });
    const { width } = info;
    const alpha = (x: number, y: number) => data[(y * width + x) * 4 + 3];
    expect([alpha(0, 0), alpha(width / 2, width / 2)]).toEqual([0, 255]);
  });

  it('packs three sizes into favicon.ico, each where its entry says', () => {
    const ico = icon('favicon.ico');
    expect(ico.readUInt16LE(2)).toBe(1);
    const entries = Array.from({ length: ico.readUInt16LE(4) }, (_, index) => 6 + index * 16);
    const sizes = entries.map((entry) => {
      const offset = ico.readUInt32LE(entry + 12);
      const png = ico.subarray(offset, offset + ico.readUInt32LE(entry + 8));
      expect(png.subarray(0, 8).toString('hex')).toBe(PNG_SIGNATURE);
      expect(png.readUInt32BE(16)).toBe(ico.readUInt8(entry));
      return png.readUInt32BE(16);
    });
    expect(sizes).toEqual([16, 32, 48]);
  });

  it('fails for a mark that it cannot set on ink', async () => {
    const mark = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
    await expect(buildIcons(mark, '#000000')).rejects.toThrow(
      'mark.svg: the root element has no viewBox',
    );
  });

  it('sends the drawing itself as favicon.svg', async () => {
    expect(icon('favicon.svg').toString()).toBe(await readFile(markFile, 'utf8'));
  });
});
