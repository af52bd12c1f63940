/** How much room the links of the bar take, where it is narrowest (`layout/header.module.css`). */
import { textWidth } from './text-path.ts';

/** Between logo and booking button, at 960 pixels: one more and the logo is squeezed (`e2e/tests/bar.spec.ts`). */
export const roomInBar = 464;

export function widthInBar(labels: string[]): number {
  const style = { family: 'Geist', weight: '400', size: 15, spacing: 0 };
  const padding = labels.length > 6 ? 8 : 14;
  const widths = labels.map((label) => textWidth(label, style) + 2 * padding);
  return widths.reduce((sum, width) => sum + width, 2 * (labels.length - 1));
}
