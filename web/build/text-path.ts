/** A line of text as SVG path data, in the site's two typefaces, and how wide it is. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { create, type Font } from 'fontkit';

export interface TypeStyle {
  family: 'geist' | 'bricolage-grotesque';
  weight: number;
  /** In pixels, as the letter spacing. */
  size: number;
  spacing: number;
}

const pathCommands: Record<string, string> = {
  moveTo: 'M',
  lineTo: 'L',
  quadraticCurveTo: 'Q',
  bezierCurveTo: 'C',
  closePath: 'Z',
};

/** `x` and `y` are the start of the baseline. */
export function textPath(text: string, style: TypeStyle, x: number, y: number): string {
  const font = openFont(style);
  const scale = style.size / font.unitsPerEm;
  const { glyphs, positions } = font.layout(text);
  let pen = x;
  let d = '';
  for (const [index, glyph] of glyphs.entries()) {
    const left = pen + (positions[index]?.xOffset ?? 0) * scale;
    for (const { command, args } of glyph.path.commands) {
      d += pathCommands[command] + place(args, round(left), round(y), scale);
    }
    pen += (positions[index]?.xAdvance ?? 0) * scale + style.spacing;
  }
  return d;
}

export function textWidth(text: string, style: TypeStyle): number {
  const font = openFont(style);
  const width = (font.layout(text).advanceWidth * style.size) / font.unitsPerEm;
  return width + [...text].length * style.spacing;
}

export const canDraw = (char: string, style: TypeStyle): boolean =>
  openFont(style).hasGlyphForCodePoint(char.codePointAt(0) ?? 0);

function place(args: number[], x: number, y: number, scale: number): string {
  return args
    .map((value, index) => (index % 2 === 0 ? x + round(value * scale) : y - round(value * scale)))
    .map(round)
    .join(' ');
}

/** To a tenth of a pixel. Glyph and position are rounded separately: the same letter then compresses well everywhere. */
const round = (value: number) => Number(value.toFixed(1));

/** Opened once: drawing and measuring need the same few files again and again. */
const opened = new Map<string, Font>();

function openFont({ family, weight }: TypeStyle): Font {
  const path = `@fontsource/${family}/files/${family}-latin-${weight}-normal.woff2`;
  const font = opened.get(path) ?? (create(readPackageFont(path)) as Font);
  opened.set(path, font);
  return font;
}

/** A font file as its package ships it, by its path inside `node_modules`. */
export const readPackageFont = (path: string): Buffer =>
  readFileSync(fileURLToPath(import.meta.resolve(path)));
