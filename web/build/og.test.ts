// @vitest-environment node
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { buildOgImage, fitTitle } from './og.ts';
import { type TypeStyle, textWidth } from './text-path.ts';

const mark = '<svg width="32" height="32"><path fill="#fff" d="M0 0h32v32H0z"/></svg>';
const site = { siteName: 'Sample Studio', tagline: 'Plain words, working pages', mark };
const face: TypeStyle = { family: 'Bricolage Grotesque', weight: '700', size: 1, spacing: 0 };
const words = (count: number) =>
  Array.from({ length: count }, (_, i) => ['small', 'firms', 'automate', 'first'][i % 4]).join(' ');

describe('buildOgImage', () => {
  it.each([1, 4, 16, 200])('draws a title of %i words within 120 kB', async (count) => {
    const png = await buildOgImage({ title: words(count), kicker: 'Blog', ...site });
    const { width, height, channels } = await sharp(png).metadata();
    expect({ width, height, channels }).toEqual({ width: 1200, height: 630, channels: 3 });
    expect(png.length).toBeLessThan(120_000);
  });

  const input = { title: 'About', kicker: 'Blog', ...site };
  const first = buildOgImage(input);

  it('makes the same picture twice', async () => {
    expect((await buildOgImage(input)).equals(await first)).toBe(true);
  });

  it.each([
    { title: 'Aboot' },
    { kicker: 'Blag' },
    { siteName: 'Simple Studio' },
    { tagline: 'Plain words' },
    { mark: mark.replace('#fff', '#f00') },
  ])('makes another picture for %o', async (change) => {
    expect((await buildOgImage({ ...input, ...change })).equals(await first)).toBe(false);
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

  it('leaves no unlinked word on the last line', () => {
    const { lines } = fitted('Five tools that give a small business its hours back');
    const lengths = lines.map((line) => line.length);
    expect(Math.min(...lengths)).toBeGreaterThan(Math.max(...lengths) / 2);
  });
});
