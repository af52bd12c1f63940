/**
 * The pictures that links to the pages show when they are shared: 1200 x 630, in the look of the site. A title is as
 * large as fits. Words are drawn as outlines, so the result doesn't depend on the fonts of the machine.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Site } from '../src/content/types.ts';
import type { PageMeta } from '../src/lib/head.ts';
import { cache } from './cache.ts';
import { inParallel } from './dist.ts';
import { drawPng } from './png.ts';
import { type Colours, recolouring } from './recolour.ts';
import { canDraw, type TypeStyle, textPath, textWidth } from './text-path.ts';

export interface OgInput {
  title: string;
  kicker: string;
  siteName: string;
  tagline: string;
  mark: string;
  colours?: Colours | undefined;
}

const WIDTH = 1200;
const LEFT = 80;
const TITLE = { width: 1000, top: 182, bottom: 500 };
const SIZES = [120, 112, 104, 96, 88, 82, 76, 70, 64, 58];
const LINE_HEIGHT = 1.03;
/** More lines are hard to read at a glance. */
const MAX_LINES = 4;

const displayStyle: TypeStyle = {
  family: 'bricolage-grotesque',
  weight: 700,
  size: 34,
  spacing: -0.7,
};
const textStyle: TypeStyle = { family: 'geist', weight: 500, size: 25, spacing: 0 };

export async function ogImages(metas: PageMeta[], site: Site, mark: string) {
  const { mark: _, ...colours } = site.brand ?? {};
  const pictures = new Map(metas.map(({ picture }) => [`/og/${picture.name}.png`, picture]));
  const images: { path: string; data: Buffer }[] = [];
  await inParallel(pictures, async ([path, { title, kicker }]) => {
    const input = { title, kicker, siteName: site.name, tagline: site.tagline, mark, colours };
    const data = await cache.getOrMake('og', [JSON.stringify(input)], () => buildOgImage(input));
    images.push({ path, data });
  });
  return images;
}

export async function buildOgImage(input: OgInput): Promise<Buffer> {
  const title = drawable(input.title, displayStyle) || drawable(input.siteName, displayStyle);
  const recolour = recolouring(input.colours);
  const mark = input.mark
    .replace('<svg ', `<svg x="${LEFT}" y="66" `)
    .replace('width="32" height="32"', 'width="58" height="58"');
  const drawing =
    drawText(fitLine(input.siteName, displayStyle, 560), displayStyle, 156, 106, '#f6f3ff') +
    drawKicker(fitLine(input.kicker, textStyle, 330)) +
    drawTitle(title) +
    drawText(fitLine(input.tagline, textStyle, 860), textStyle, LEFT, 582, '#b8b0cf');
  const background = await readFile(join(import.meta.dirname, 'og.svg'), 'utf8');
  const svg = recolour(background).replace('</svg>', () => `${mark}${recolour(drawing)}</svg>`);
  return drawPng(svg, { opaque: true });
}

function drawTitle(title: string): string {
  const { lines, size } = fitTitle(title);
  const style = titleStyle(size);
  const lineHeight = size * LINE_HEIGHT;
  // The last line of every title is at the same height.
  const first = TITLE.bottom - size * 0.2 - (lines.length - 1) * lineHeight;
  return lines
    .map((row, index) =>
      drawText(row, style, LEFT - size * 0.04, first + index * lineHeight, '#f6f3ff'),
    )
    .join('');
}

/** The kind of page, at the top right, in the pill of the site's hero. */
function drawKicker(label: string): string {
  if (label === '') return '';
  const width = textWidth(label, textStyle) + 70;
  const left = WIDTH - LEFT - width;
  return (
    `<rect x="${left}" y="69" width="${width}" height="52" rx="26" fill="#8b5cf6" fill-opacity=".14" stroke="#b79bff" stroke-opacity=".34" stroke-width="1.5"/>` +
    `<circle cx="${left + 29}" cy="95" r="12" fill="#ff9a62" fill-opacity=".2"/><circle cx="${left + 29}" cy="95" r="6" fill="#ff9a62"/>` +
    drawText(label, textStyle, left + 48, 103.5, '#c9b5ff')
  );
}

function drawText(text: string, style: TypeStyle, x: number, y: number, fill: string): string {
  return text === '' ? '' : `<path fill="${fill}" d="${textPath(text, style, x, y)}"/>`;
}

/** The text on one line: what doesn't fit is cut off. */
function fitLine(text: string, style: TypeStyle, width: number): string {
  return shorten(drawable(text, style), width, (part) => textWidth(part, style));
}

/** The text as far as the font can draw it. A letter it lacks loses its accent or is left out: the build must not fail. */
function drawable(text: string, style: TypeStyle): string {
  const kept = [...text.normalize('NFC').replace(/\s+/g, ' ')].map((char) =>
    canDraw(char, style)
      ? char
      : [...char.normalize('NFKD')]
          .filter((part) => canDraw(part, style) && /\P{M}/u.test(part))
          .join(''),
  );
  return kept.join('').trim();
}

const titleStyle = (size: number): TypeStyle => ({
  ...displayStyle,
  size,
  spacing: size * -0.035,
});

type Measure = (line: string) => number;

/** In the largest size at which it fits; if none does, it ends in an ellipsis. */
export function fitTitle(title: string): { lines: string[]; size: number } {
  const words = title.split(' ');
  const { width, top, bottom } = TITLE;
  const rowsAt = (size: number) =>
    Math.min(MAX_LINES, Math.floor((bottom - top) / (size * LINE_HEIGHT)));
  const measureAt =
    (size: number): Measure =>
    (line) =>
      textWidth(line, titleStyle(size));
  for (const size of SIZES) {
    const measure = measureAt(size);
    const lines = wrap(words, width, measure);
    const fits = lines.length <= rowsAt(size) && lines.every((line) => measure(line) <= width);
    if (fits) return { lines: balance(words, lines, measure), size };
  }
  const size = SIZES.at(-1) ?? 0;
  const short = words.map((word) => shorten(word, width, measureAt(size)));
  const lines = wrap(short, width, measureAt(size));
  const full = Math.min(rowsAt(size), lines.length) - 1;
  const last = shorten(lines.slice(full).join(' '), width, measureAt(size));
  return { lines: [...lines.slice(0, full), last], size };
}

/** The same number of lines in the narrowest column possible: then their lengths differ least. */
function balance(words: string[], lines: string[], measure: Measure): string[] {
  let best = lines;
  for (let width = TITLE.width; width > 0; width -= 10) {
    const narrower = wrap(words, width, measure);
    const fits = narrower.every((line) => measure(line) <= width);
    if (!fits || narrower.length > lines.length) break;
    best = narrower;
  }
  return best;
}

function wrap(words: string[], width: number, measure: Measure): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    const longer = `${last} ${word}`;
    if (last !== undefined && measure(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** The text, or as much of its beginning as the width allows, with an ellipsis. */
function shorten(text: string, width: number, measure: Measure): string {
  if (measure(text) <= width) return text;
  let kept = text;
  while (kept !== '' && measure(`${kept}…`) > width) kept = kept.slice(0, -1);
  return `${kept.trimEnd()}…`;
}
