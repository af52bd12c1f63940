import sharp from 'sharp';
import { expect, it } from 'vitest';
import { buildOgImage, fitTitle } from './og.ts';

const mark = '<svg width="32" height="32"><path fill="#fff" d="M0 0h32v32H0z"/></svg>';
const input = {
  title: 'About',
  kicker: 'Blog',
  siteName: 'Sample Studio',
  tagline: 'Plain words, working pages',
  mark,
};
const first = await buildOgImage(input);
const words = (count: number) =>
  Array.from({ length: count }, (_, i) => ['small', 'firms', 'automate', 'first'][i % 4]).join(' ');

it('a picture is opaque, 1200 x 630, light, and the same each time', async () => {
  const { width, height, channels } = await sharp(first).metadata();
  expect({ width, height, channels }).toEqual({ width: 1200, height: 630, channels: 3 });
  expect((await buildOgImage(input)).equals(first)).toBe(true);
  const full = await buildOgImage({ ...input, title: words(60) });
  expect(full.length).toBeLessThan(120_000);
});

it('a title that the font can’t draw is replaced by the name of the site', async () => {
  const drawn = await buildOgImage({ ...input, title: '汉字' });
  const named = await buildOgImage({ ...input, title: input.siteName });
  expect(drawn.equals(named)).toBe(true);
});

it('a short title is larger than a long one, and no word is lost', () => {
  expect(fitTitle(words(2)).size).toBeGreaterThan(fitTitle(words(14)).size);
  expect(fitTitle(words(14)).lines.join(' ')).toBe(words(14));
});

it('a title that cannot fit ends in an ellipsis', () => {
  expect(fitTitle(words(60)).lines).toHaveLength(4);
  expect(fitTitle(words(60)).lines.at(-1)).toMatch(/…$/);
  expect(fitTitle('m'.repeat(300)).lines).toEqual([expect.stringMatching(/^m+…$/)]);
});

it('the lines of a title are of similar length', () => {
  const { lines } = fitTitle('Five tools that give a small business its hours back');
  const lengths = lines.map((line) => line.length);
  expect(Math.min(...lengths)).toBeGreaterThan(Math.max(...lengths) / 2);
});
