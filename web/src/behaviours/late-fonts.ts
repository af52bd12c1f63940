/**
 * A font that arrives after the first paint isn't shown in this document (`font-display: optional`), so that no line moves
 * under the reader. The next pages show it.
 */
import { newPage } from '../lib/events.ts';

export async function lateFonts() {
  await document.fonts.ready;
  if (![...document.fonts].some(isLate)) return;
  const rules = document.querySelector('style')?.textContent.match(/@font-face.*?}/g);
  const again = new CSSStyleSheet();
  again.replaceSync(rules?.join('').replaceAll('optional', 'swap') ?? '');
  const show = () => document.adoptedStyleSheets.push(again);
  document.addEventListener(newPage, show, { once: true });
}

const pen = document.createElement('canvas').getContext('2d') as CanvasRenderingContext2D;

/** Letters have the same width with and without it. */
const isLate = ({ family }: FontFace) => width(`${family},monospace`) === width('monospace');

function width(font: string) {
  pen.font = `9px ${font}`;
  return pen.measureText('Mi').width;
}
