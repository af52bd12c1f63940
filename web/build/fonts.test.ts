// @vitest-environment node
import { create } from 'fontkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { fallbackWidth } from './fallback-widths.ts';
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

  it.each([
    { name: 'text', suffix: 'Fallback', weights: '400 500', face: 'arial' },
    { name: 'text', suffix: 'DejaVu', weights: '400 500', face: 'dejavu' },
    { name: 'display', suffix: 'Fallback', weights: '700', face: 'arialBold' },
    { name: 'display', suffix: 'Roboto', weights: '700', face: 'robotoBold' },
    { name: 'display', suffix: 'DejaVu', weights: '700', face: 'dejavuBold' },
  ] as const)(
    'sets a line no seen sample holds as wide as $name $suffix, to three hundredths',
    (fallback) => {
      const { name, suffix, weights, face } = fallback;
      const line = 'Answers come back within a day, whatever the hour you wrote to us';
      const rule = new RegExp(
        `"${name} ${suffix}"[^}]*weight:${weights};size-adjust:([\\d.]+)%`,
        'i',
      );
      const font = openBuilt(name);
      const own = font.layout(line).advanceWidth / font.unitsPerEm;
      const set = (fallbackWidth(line, face) * Number(rule.exec(fonts.css)?.[1])) / 100;
      expect(Math.abs(set / own - 1)).toBeLessThan(0.03);
    },
  );

  it('gives the fallback the same line height as the font', () => {
    const font = openBuilt('display');
    const rule = /"Display Fallback"[^}]*/.exec(fonts.css)?.[0] ?? '';
    const value = (name: string) => Number(new RegExp(`${name}:([\\d.]+)%`).exec(rule)?.[1]);
    const height =
      ((value('ascent-override') + value('descent-override')) * value('size-adjust')) / 1e4;
    expect(height).toBeCloseTo((font.ascent - font.descent) / font.unitsPerEm, 2);
  });

  it('leaves one placeholder per file and swaps late fonts in', () => {
    expect(fonts.css.match(/url\(%\w+%\)/g)).toEqual(['url(%display%)', 'url(%text%)']);
    expect(fonts.css.match(/font-display:swap/g)).toHaveLength(2);
  });
});
