// @vitest-environment node
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { buildPicture, pictureSize } from './pictures.ts';

const pictures = join(import.meta.dirname, '../pictures');

const build = (body: string, root = '') =>
  buildPicture(
    'sketch.svg',
    `<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40" viewBox="0 0 80 40" ${root}>${body}</svg>`,
  );

describe('buildPicture', () => {
  it('keeps what animation needs', () => {
    const svg = build(
      '<style>:host .a{animation:a 2s 2}@keyframes a{50%{opacity:0}}@media (prefers-reduced-motion:reduce){*{animation:none!important}}</style><defs><linearGradient id="g"><stop stop-color="red"/></linearGradient></defs><g class="a"><circle r="4" fill="url(#g)"/></g>',
    );
    expect(svg).toContain('@keyframes a');
    expect(svg).toContain('prefers-reduced-motion');
    expect(svg).toContain('class="a"');
    expect(svg).toContain('id="g"');
    expect(svg).toContain('viewBox="0 0 80 40"');
  });

  it('refuses text, which an image cannot set in the fonts of the page', () => {
    expect(() => build('<text>Hi</text>')).toThrow('sketch.svg: has text: convert it to paths');
  });
});

describe('a scene', () => {
  const still = '@media (prefers-reduced-motion:reduce){*{animation:none!important}}';
  const scene = (rules: string, rest = still) =>
    build(`<style>${rules}${rest}</style><g class="a"><circle r="4"/></g>`);
  const fade = '@keyframes f{50%{opacity:0;transform:none}}';

  it('may fade and move inside the page, for half a minute', () => {
    const rules = `:host .a{animation:16s cubic-bezier(.2,.75,.2,1) -2s 2;animation-name:f}${fade}`;
    expect(scene(rules)).toContain(':host .a{');
  });

  it.each([
    ['.a{animation:f 2s}', 'sketch.svg: .a moves in an image too'],
    [':host .a{animation:f 2s infinite}', 'sketch.svg: animation:f 2s infinite lasts longer'],
    [':host .a{animation:f 16s 2}', 'sketch.svg: animation:f 16s 2 lasts longer'],
    [':host .a{animation:f 2s}@keyframes g{to{fill:red}}', 'sketch.svg: it animates fill'],
  ])('may not have %s', (rules, message) => {
    expect(() => scene(rules + fade)).toThrow(message);
  });

  it('may not move for those who ask for less motion', () => {
    const still = () => scene(`:host .a{animation:f 2s}${fade}`, '');
    expect(still).toThrow('sketch.svg: its style lacks @media (prefers-reduced-motion:reduce)');
  });
});

describe('pictureSize', () => {
  it('reads the size of the root element', () => {
    const source =
      '<?xml version="1.0"?><svg width="440" height="300"><rect width="1" height="1"/></svg>';
    expect(pictureSize('sketch.svg', source)).toEqual({ width: 440, height: 300 });
  });

  it('fails for a drawing without a size', () => {
    const size = () =>
      pictureSize('bare.svg', '<svg viewBox="0 0 1 1"><rect width="1" height="1"/></svg>');
    expect(size).toThrow('bare.svg: the root element has no width');
  });
});

describe.each(readdirSync(pictures))('%s', (name) => {
  it('builds the same twice, small and self-contained', () => {
    const source = readFileSync(join(pictures, name), 'utf8');
    const svg = buildPicture(name, source);
    expect(buildPicture(name, source)).toBe(svg);
    expect(svg).not.toMatch(/<text|<image|href="(?!#)|url\((?!#)/);
    expect(brotliCompressSync(svg).length).toBeLessThan(12_000);
    expect(pictureSize(name, source).width).toBeGreaterThan(0);
  });
});
