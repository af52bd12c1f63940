/** The hero's particles. Decoration: fetched when the page is idle, and never for those who ask for less motion. */
import { whenIdle } from '../lib/idle.ts';
import { reducedMotion } from '../lib/scroll.ts';

export function particles(main: HTMLElement, left: AbortSignal) {
  const canvas = main.querySelector<HTMLCanvasElement>('canvas[data-particles]');
  const area = canvas?.parentElement;
  if (!canvas || !area || reducedMotion()) return;
  const callOff = whenIdle(async () => {
    const { startParticles } = await import('../particles/start-particles.ts');
    if (left.aborted) return;
    left.addEventListener('abort', startParticles(canvas, area));
  });
  left.addEventListener('abort', callOff);
}
