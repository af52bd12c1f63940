/**
 * A font that arrives after the first paint isn't shown in this document (`font-display: optional`), so that no line moves
 * under the reader. The next pages show it.
 */
import { newPage } from '../lib/events.ts';

export async function lateFonts() {
  await document.fonts.ready;
  if (![...document.fonts].some(isLate)) return;
  const rules = document.querySelector('style')?.textContent.match(/@font-face.*?}/g);
  const swapRules = new CSSStyleSheet();
  swapRules.replaceSync(rules?.join('').replaceAll('optional', 'swap') ?? '');
  const show = () => document.adoptedStyleSheets.push(swapRules);
  document.addEventListener(newPage, show, { once: true });
}

const canvas = document.createElement('canvas').getContext('2d') as CanvasRenderingContext2D;

/** The document does not use a late font: text has the same width with and without it. */
const isLate = ({ family }: FontFace) => width(`${family},monospace`) === width('monospace');

function width(font: string) {
  canvas.font = `9px ${font}`;
  return canvas.measureText('Mi').width;
}
