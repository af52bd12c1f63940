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
