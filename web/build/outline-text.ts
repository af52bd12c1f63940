/**
 * Turns the `<text>` of a drawing into outlines, so that a picture shown through `<img>`, which
 * cannot see the page's fonts, is set in them all the same.
 *
 * Read from the elements and their ancestors: font-family, font-size, font-weight, letter-spacing
 * and text-anchor as attributes; x, y, dx and dy on `text` and `tspan`. Fonts set through CSS are
 * refused rather than ignored.
 */
import type { XastChild, XastElement, XastRoot } from 'svgo';
import { textPath } from './text-path.ts';

const inheritedNames = [
  'font-family',
  'font-size',
  'font-weight',
  'letter-spacing',
  'text-anchor',
] as const;

type TextStyle = Partial<Record<(typeof inheritedNames)[number], string>>;

/** One stretch of text in one style, with the moves that come before it. */
interface Run {
  text: string;
  style: TextStyle;
  paint: Record<string, string>;
  x: number | undefined;
  y: number | undefined;
  dx: number;
  dy: number;
}

const positionNames = ['x', 'y', 'dx', 'dy'];

export function outlineText(root: XastRoot): void {
  for (const child of root.children) visit(child, {});
}

function visit(node: XastChild, inherited: TextStyle): void {
  if (node.type !== 'element') return;
  refuseCssFonts(node);
  const style = { ...inherited, ...pick(node.attributes) };
  for (const [index, child] of node.children.entries()) {
    if (child.type === 'element' && child.name === 'text') {
      node.children[index] = outline(child, { ...style, ...pick(child.attributes) });
    } else {
      visit(child, style);
    }
  }
  for (const name of inheritedNames) delete node.attributes[name];
}

/** The `<g>` (or `<path>`, where one is enough) that stands in for a `<text>`. */
function outline(text: XastElement, style: TextStyle): XastElement {
  const runs = collectRuns(text, style);
  const paths = layOut(runs);
  const attributes = without(text.attributes, [...positionNames, ...inheritedNames]);
  const [only] = paths;
  if (only && paths.length === 1) {
    return { ...only, attributes: { ...attributes, ...only.attributes } };
  }
  return { type: 'element', name: 'g', attributes, children: paths };
}

function collectRuns(text: XastElement, style: TextStyle): Run[] {
  const runs: Run[] = [];
  const collect = (node: XastElement, inherited: TextStyle, paint: Record<string, string>) => {
    let move = readMove(node);
    for (const child of node.children) {
      if (child.type === 'text') {
        const words = child.value.replace(/\s+/g, ' ');
        if (words.trim() === '' && runs.length === 0) continue;
        runs.push({ text: words, style: inherited, paint, ...move });
        move = { x: undefined, y: undefined, dx: 0, dy: 0 };
      } else if (child.type === 'element') {
        if (child.name !== 'tspan') throw new Error(`<${child.name}> inside <text>`);
        const own = without(child.attributes, [...positionNames, ...inheritedNames]);
        collect(child, { ...inherited, ...pick(child.attributes) }, { ...paint, ...own });
      }
    }
  };
  collect(text, style, {});
  const [first] = runs;
  if (!first) throw new Error('<text> without words');
  // A tspan that comes first brings its own place and inherits what it leaves out.
  const start = readMove(text);
  first.x ??= start.x ?? 0;
  first.y ??= start.y ?? 0;
  return joinSpaces(runs);
}

/** White space at either end of a line is source formatting, not words. */
function joinSpaces(runs: Run[]): Run[] {
  for (const [index, run] of runs.entries()) {
    if (run.x !== undefined) run.text = run.text.trimStart();
    const next = runs[index + 1];
    if (!next || next.x !== undefined) run.text = run.text.trimEnd();
  }
  return runs.filter((run) => run.text !== '');
}

function layOut(runs: Run[]): XastElement[] {
  let x = 0;
  let y = 0;
  return runs.map((run, index) => {
    if (run.x !== undefined) x = run.x - anchorShift(chunkFrom(runs, index));
    x += run.dx;
    y = (run.y ?? y) + run.dy;
    const { d, advance } = drawRun(run, x, y);
    x += advance;
    return { type: 'element', name: 'path', attributes: { ...run.paint, d }, children: [] };
  });
}

/** The runs that share a line: up to the next one with a place of its own. */
function chunkFrom(runs: Run[], start: number): Run[] {
  const length = runs.slice(start + 1).findIndex((run) => run.x !== undefined);
  return length === -1 ? runs.slice(start) : runs.slice(start, start + 1 + length);
}

function anchorShift(chunk: Run[]): number {
  const anchor = chunk[0]?.style['text-anchor'] ?? 'start';
  const share = { start: 0, middle: 0.5, end: 1 }[anchor];
  if (share === undefined) throw new Error(`unknown text-anchor "${anchor}"`);
  if (share === 0) return 0;
  const width = chunk.reduce((sum, run) => sum + run.dx + drawRun(run, 0, 0).advance, 0);
  return width * share;
}

function drawRun({ text, style }: Run, x: number, y: number) {
  const size = number(style['font-size'] ?? '16', 'font-size');
  const spacing = letterSpacing(style['letter-spacing'], size);
  const family =
    (style['font-family'] ?? '')
      .split(',')[0]
      ?.trim()
      .replace(/^["']|["']$/g, '') ?? '';
  return textPath(text, { family, weight: style['font-weight'] ?? '400', size, spacing }, x, y);
}

function letterSpacing(value: string | undefined, size: number): number {
  if (!value) return 0;
  if (value.endsWith('em')) return number(value.slice(0, -2), 'letter-spacing') * size;
  return number(value, 'letter-spacing');
}

function readMove({ attributes }: XastElement) {
  const read = (name: string) => {
    const value = attributes[name];
    return value === undefined ? undefined : number(value, name);
  };
  return { x: read('x'), y: read('y'), dx: read('dx') ?? 0, dy: read('dy') ?? 0 };
}

function number(value: string, name: string): number {
  const parsed = Number(value.replace(/px$/, ''));
  if (value.trim() === '' || !Number.isFinite(parsed)) throw new Error(`${name}="${value}"`);
  return parsed;
}

function refuseCssFonts(node: XastElement): void {
  const css =
    node.name === 'style'
      ? node.children.map((child) => ('value' in child ? child.value : '')).join('')
      : (node.attributes.style ?? '');
  if (/\b(font|letter-spacing|text-anchor)\b/.test(css)) {
    throw new Error('fonts are set through attributes here, not CSS');
  }
}

function pick(attributes: Record<string, string>): TextStyle {
  const style: TextStyle = {};
  for (const name of inheritedNames) {
    const value = attributes[name];
    if (value !== undefined) style[name] = value;
  }
  return style;
}

function without(attributes: Record<string, string>, names: readonly string[]) {
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => !names.includes(name)));
}
