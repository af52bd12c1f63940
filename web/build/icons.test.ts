// @vitest-environment node
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildIcons, type IconFile } from './icons.ts';

const markFile = join(import.meta.dirname, '../pictures/mark.svg');
const PNG_SIGNATURE = '89504e470d0a1a0a';
let icons: IconFile[];

beforeAll(async () => {
  icons = await buildIcons(await readFile(markFile, 'utf8'));
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

  it('sends the drawing itself as favicon.svg', async () => {
    expect(icon('favicon.svg').toString()).toBe(await readFile(markFile, 'utf8'));
  });
});
