// @vitest-environment node
import { create } from 'fontkit';
import { expect, it } from 'vitest';
import { buildFonts } from './fonts.ts';

const fonts = await buildFonts();

it.each(fonts.files)('the $name font draws English and French', ({ data }) => {
  const font = create(data);
  if (!('layout' in font)) throw new Error('expected a single font');
  for (const char of 'Where’s the café? “Déjà vu” — 24/7 & 72hr…')
    expect(font.hasGlyphForCodePoint(char.codePointAt(0) ?? 0), char).toBe(true);
});

it('each font has its rule, with the weights of the design, and isn’t shown if it comes late', () => {
  const rules = fonts.css.match(/url\(%\w+%\) format\("woff2"\);font-weight:[\d ]+;/g);
  expect(rules).toEqual([
    'url(%display%) format("woff2");font-weight:700;',
    'url(%text%) format("woff2");font-weight:400 600;',
  ]);
  expect(fonts.css.match(/font-display:optional/g)).toHaveLength(2);
});
