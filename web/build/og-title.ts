/** Breaks a title into balanced lines at the largest size that fits its box. */
import { type TypeStyle, textWidth } from './text-path.ts';

const SIZES = [120, 112, 104, 96, 88, 82, 76, 70, 64, 58];
const LINE_HEIGHT = 1.03;
// Below this a shared link shows a wall of words, not a title.
const MAX_LINES = 4;

export type Measure = (line: string) => number;

export interface FittedTitle {
  lines: string[];
  size: number;
}

export function fitTitle(
  title: string,
  width: number,
  height: number,
  face: TypeStyle,
): FittedTitle {
  const words = title.split(' ');
  for (const size of SIZES) {
    const measure = (line: string) => textWidth(line, { ...face, size, spacing: size * -0.035 });
    const lines = wrap(words, width, measure);
    const fits = lines.every((line) => measure(line) <= width);
    if (fits && lines.length <= MAX_LINES && lines.length * size * LINE_HEIGHT <= height) {
      return { lines: balance(words, lines.length, width, measure), size };
    }
  }
  return cut(words, width, height, face);
}

/** Among the ways to break into `count` lines, the one whose lines differ least in length. */
function balance(words: string[], count: number, width: number, measure: Measure): string[] {
  let best: { cost: number; lines: string[] } = { cost: Number.POSITIVE_INFINITY, lines: [] };
  const extend = (lines: string[], start: number, cost: number) => {
    if (cost >= best.cost) return;
    const left = count - lines.length;
    if (left === 0) {
      if (start === words.length) best = { cost, lines };
      return;
    }
    for (let end = start + 1; end <= words.length - left + 1; end += 1) {
      const line = words.slice(start, end).join(' ');
      const slack = width - measure(line);
      if (slack < 0) return;
      extend([...lines, line], end, cost + slack ** 2);
    }
  };
  extend([], 0, 0);
  return best.lines;
}

function wrap(words: string[], width: number, measure: Measure): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    const longer = last === undefined ? word : `${last} ${word}`;
    if (last === undefined) lines.push(word);
    else if (measure(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** Beyond the smallest size the title ends in an ellipsis. */
function cut(words: string[], width: number, height: number, face: TypeStyle): FittedTitle {
  const size = SIZES.at(-1) ?? 58;
  const measure = (line: string) => textWidth(line, { ...face, size, spacing: size * -0.035 });
  const rows = Math.min(MAX_LINES, Math.floor(height / (size * LINE_HEIGHT)));
  const short = words.map((word) => shorten(word, width, measure));
  const lines = wrap(short, width, measure);
  if (lines.length <= rows) return { lines, size };
  const kept = lines.slice(0, rows);
  kept[rows - 1] = shorten(`${kept[rows - 1]} ${lines[rows]}`, width, measure);
  return { lines: kept, size };
}

/** The text, or as much of its beginning as the width allows, with an ellipsis. */
export function shorten(text: string, width: number, measure: Measure): string {
  if (measure(text) <= width) return text;
  let kept = text;
  while (kept !== '' && measure(`${kept}…`) > width) kept = kept.slice(0, -1);
  return `${kept.trimEnd()}…`;
}
