// @vitest-environment node
import { create } from 'fontkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { type BuiltFonts, buildFonts } from './fonts.ts';

let fonts: BuiltFonts;

beforeAll(async () => {
  fonts = await buildFonts();
});

function openBuilt(name: 'display' | 'text') {
  const file = fonts.files.find((candidate) => candidate.name === name);
  if (!file) throw new Error(`no ${name} font`);
  const font = create(file.data);
  if (!('layout' in font)) throw new Error('expected a single font');
  return font;
}

describe('buildFonts', () => {
  it('sends at most 27,000 bytes of fonts', () => {
    const bytes = fonts.files.reduce((sum, file) => sum + file.data.length, 0);
    expect(bytes).toBeLessThanOrEqual(27_000);
  });

  it('keeps the weights the design uses', () => {
    expect(openBuilt('display').variationAxes).toEqual({});
    expect(fonts.css).toContain('url(%display%) format("woff2");font-weight:700;');
    expect(openBuilt('text').variationAxes).toMatchObject({ wght: { min: 400, max: 600 } });
  });

  it.each(['display', 'text'] as const)('draws English and French in the %s face', (name) => {
    const font = openBuilt(name);
    for (const char of 'Where’s the café? “Déjà vu” — 24/7 & 72hr…') {
      expect(font.hasGlyphForCodePoint(char.codePointAt(0) ?? 0), char).toBe(true);
    }
  });

  it('leaves one placeholder per file and does without fonts that come late', () => {
    expect(fonts.css.match(/url\(%\w+%\)/g)).toEqual(['url(%display%)', 'url(%text%)']);
    expect(fonts.css.match(/font-display:optional/g)).toHaveLength(2);
  });
});
