// @vitest-environment node
import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { buildOgImage } from './og.ts';
import { fitTitle } from './og-title.ts';
import { type TypeStyle, textWidth } from './text-path.ts';

const site = { siteName: 'Sample Studio', tagline: 'Plain words, working pages' };
const face: TypeStyle = { family: 'Bricolage Grotesque', weight: '700', size: 1, spacing: 0 };
const words = (count: number) =>
  Array.from({ length: count }, (_, i) => ['small', 'firms', 'automate', 'first'][i % 4]).join(' ');

function pngSize(png: Buffer) {
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
}

/** The image data must unpack to one filter byte and three channels per pixel, row by row. */
function unpackedLength(png: Buffer): number {
  const start = png.indexOf('IDAT') + 4;
  return inflateSync(png.subarray(start, start + png.readUInt32BE(start - 8))).length;
}

describe('buildOgImage', () => {
  it.each([1, 4, 16, 200])('draws a title of %i words within 120 kB', async (count) => {
    const png = await buildOgImage({ title: words(count), kicker: 'Blog', ...site });
    expect(pngSize(png)).toEqual({ width: 1200, height: 630 });
    expect(unpackedLength(png)).toBe((1200 * 3 + 1) * 630);
    expect(png.length).toBeLessThan(120_000);
  });

  it('makes another picture for another title, and the same one twice', async () => {
    const draw = (title: string) => buildOgImage({ title, kicker: 'Blog', ...site });
    const first = await draw('About');
    expect(first.equals(await draw('About'))).toBe(true);
    expect(first.equals(await draw('Aboot'))).toBe(false);
  });

  it('shows the site name for a title it has no letters for', async () => {
    const drawn = await buildOgImage({ title: '汉字', kicker: '', ...site });
    const named = await buildOgImage({ title: site.siteName, kicker: '', ...site });
    expect(drawn.equals(named)).toBe(true);
  });
});

describe('fitTitle', () => {
  const fitted = (title: string) => fitTitle(title, 1000, 318, face);

  it.each([1, 3, 8, 14, 60])('keeps a title of %i words inside its box', (count) => {
    const { lines, size } = fitted(words(count));
    expect(lines.length * size).toBeLessThanOrEqual(318);
    for (const line of lines) {
      const style = { ...face, size, spacing: size * -0.035 };
      expect(textWidth(line, style)).toBeLessThanOrEqual(1000);
    }
  });

  it('sets short titles larger than long ones', () => {
    expect(fitted(words(2)).size).toBeGreaterThan(fitted(words(14)).size);
  });

  it('loses no word of a title that fits', () => {
    expect(fitted(words(14)).lines.join(' ')).toBe(words(14));
  });

  it('ends a title that cannot fit in an ellipsis', () => {
    expect(fitted(words(60)).lines.at(-1)).toMatch(/…$/);
    expect(fitted('m'.repeat(300)).lines).toEqual([expect.stringMatching(/^m+…$/)]);
  });

  it('leaves no lonely word on the last line', () => {
    const { lines } = fitted('Five tools that give a small business its hours back');
    const lengths = lines.map((line) => line.length);
    expect(Math.min(...lengths)).toBeGreaterThan(Math.max(...lengths) / 2);
  });
});
