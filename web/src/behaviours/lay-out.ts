/**
 * Lays out what the first paint left for later (`--far` in `styles/base.css`), step by step while the page is idle: all at
 * once would block it.
 */
import { whenIdle } from '../lib/idle.ts';

const paragraphsAtOnce = 5;

export async function layOutWhenIdle(main: HTMLElement, signal: AbortSignal) {
  for (const section of [...main.children] as HTMLElement[]) {
    await idleFrame();
    if (signal.aborted) return;
    section.style.contentVisibility = 'visible';
  }
  const paragraphs = [...main.querySelectorAll<HTMLElement>('[data-prose] > *')];
  while (paragraphs.length > 0) {
    await idleFrame();
    if (signal.aborted) return;
    for (const paragraph of paragraphs.splice(0, paragraphsAtOnce))
      paragraph.style.contentVisibility = 'visible';
  }
}

const frame = () => new Promise<unknown>(requestAnimationFrame);

const idleFrame = () => new Promise<void>((done) => whenIdle(done)).then(frame);
