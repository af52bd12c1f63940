// @vitest-environment node
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { paths } from './paths.ts';
import { buildPicture, pictureSize } from './pictures.ts';

const still = '@media (prefers-reduced-motion:reduce){*{animation:none!important}}';

it('a drawing keeps what its animation needs', () => {
  const motion = `<style>:host .a{animation:a 2s 2}@keyframes a{50%{opacity:0}}${still}</style>`;
  const gradient = '<linearGradient id="g"><stop stop-color="red"/></linearGradient>';
  const svg = buildPicture(
    'sketch.svg',
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 40">${motion}<defs>${gradient}</defs><g class="a"><circle r="4" fill="url(#g)"/></g></svg>`,
  );
  for (const part of ['@keyframes a', still, 'class="a"', 'id="g"', 'viewBox="0 0 80 40"'])
    expect(svg).toContain(part);
});

it('a drawing with text, which an image can’t set in the fonts of the page, is refused', () => {
  const source = '<svg xmlns="http://www.w3.org/2000/svg"><text>Hi</text></svg>';
  expect(() => buildPicture('sketch.svg', source)).toThrow('sketch.svg: has text: convert it');
});

it('the size of a drawing is that of its root element, which must have one', () => {
  const inside = '<rect width="1" height="1"/></svg>';
  const size = pictureSize('a.svg', `<?xml?><svg width="440" height="300">${inside}`);
  expect(size).toEqual({ width: 440, height: 300 });
  expect(() => pictureSize('a.svg', `<svg>${inside}`)).toThrow('a.svg: the root element has no');
});

it.each(readdirSync(paths.pictures))(
  '%s is light, refers to nothing outside, moves only as part of the page, and comes to rest',
  (name) => {
    const svg = buildPicture(name, readFileSync(join(paths.pictures, name), 'utf8'));
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
