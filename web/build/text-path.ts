/** A line of words as SVG path data, in the static cuts of the site's two typefaces. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { create, type Font } from 'fontkit';

export interface TypeStyle {
  family: string;
  weight: string;
  /** In pixels, as the letter spacing. */
  size: number;
  spacing: number;
}

const packages: Record<string, string> = {
  Geist: 'geist',
  'Bricolage Grotesque': 'bricolage-grotesque',
};

const letters: Record<string, string> = {
  moveTo: 'M',
  lineTo: 'L',
  quadraticCurveTo: 'Q',
  bezierCurveTo: 'C',
  closePath: 'Z',
};

/** Draws from the start of the base line; a character the font lacks is an error. */
export function textPath(text: string, style: TypeStyle, x: number, y: number) {
  const font = openStyle(style);
  for (const char of text) {
    if (!font.hasGlyphForCodePoint(char.codePointAt(0) ?? 0)) {
      throw new Error(`${style.family} has no glyph for "${char}" in "${text}"`);
    }
  }
  const scale = style.size / font.unitsPerEm;
  const { glyphs, positions } = font.layout(text);
  let pen = 0;
  let d = '';
  for (const [index, glyph] of glyphs.entries()) {
    const left = x + pen + (positions[index]?.xOffset ?? 0) * scale;
    for (const { command, args } of glyph.path.commands) {
      d += letters[command] + place(args, round(left), round(y), scale);
    }
    pen += (positions[index]?.xAdvance ?? 0) * scale + style.spacing;
  }
  return { d, advance: pen };
}

export function textWidth(text: string, style: TypeStyle): number {
  const font = openStyle(style);
  const width = (font.layout(text).advanceWidth * style.size) / font.unitsPerEm;
  return width + [...text].length * style.spacing;
}

export function canDraw(char: string, { family, weight }: TypeStyle): boolean {
  const font = openStyle({ family, weight, size: 1, spacing: 0 });
  return font.hasGlyphForCodePoint(char.codePointAt(0) ?? 0);
}

function openStyle({ family, weight }: TypeStyle): Font {
  const name = packages[family];
  if (!name) throw new Error(`unknown font "${family}"`);
  return openPackageFont(`@fontsource/${name}/files/${name}-latin-${weight}-normal.woff2`);
}

function place(args: number[], x: number, y: number, scale: number): string {
  return args
    .map((value, index) => (index % 2 === 0 ? x + round(value * scale) : y - round(value * scale)))
    .map(round)
    .join(' ');
}

/**
 * A tenth of a pixel is finer than a screen shows. Glyph and place are rounded apart, so that the
 * same letter is the same string of relative steps wherever it stands, and compresses to nothing.
 */
function round(value: number): number {
  return Number(value.toFixed(1));
}

/** Font files as the packages ship them, by their path inside `node_modules`. */
const opened = new Map<string, Font>();

export function readPackageFont(path: string): Buffer {
  try {
    return readFileSync(fileURLToPath(import.meta.resolve(path)));
  } catch (cause) {
    throw new Error(`no font file ${path}`, { cause });
  }
}

/** Opened once and kept: pictures and measurements ask for the same few cuts over and over. */
export function openPackageFont(path: string): Font {
  const known = opened.get(path);
  if (known) return known;
  const font = create(readPackageFont(path));
  if (!('layout' in font)) throw new Error(`${path} is a collection`);
  opened.set(path, font);
  return font;
}
