/** Motion that lasts longer than a moment, and the button that pauses it. */
import { whenIdle } from '../lib/idle.ts';
import { isMotionPaused, mayMove, onMotionChange, pause } from '../lib/motion.ts';
import { reducedMotion } from '../lib/scroll.ts';

/**
 * Any button with `data-pause-motion` pauses and resumes motion, for the tab. The root's `data-motion` has the state:
 * without this script there is neither the attribute nor a visible button.
 */
export function pauseMotion() {
  showMotion();
  document.addEventListener('click', ({ target }) => {
    if (!(target instanceof Element && target.closest('[data-pause-motion]'))) return;
    pause(!isMotionPaused());
    showMotion();
  });
}

function showMotion() {
  document.documentElement.dataset.motion = isMotionPaused() ? 'paused' : 'on';
}

/** The hero's particles are decoration: they load when the page is idle, and never if less motion is asked for. */
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

/** The share of a scene that must be on screen before it plays. */
const enough = 0.4;

/** Images with `data-scene` play when they come on screen, once per page. */
export function playScenes(main: HTMLElement, left: AbortSignal) {
  const waiting = new Set(main.querySelectorAll<HTMLImageElement>('[data-scene]'));
  let stop = new AbortController();
  const play = async (image: HTMLImageElement) => {
    seen.unobserve(image);
    const { signal } = stop;
    try {
      // It's needed only when a scene is seen.
      const { playScene } = await import('../lib/scene.ts');
      if (await playScene(image, signal)) waiting.delete(image);
    } catch {
      // A picture that cannot play stays as it is.
    }
  };
  const seen = new IntersectionObserver(
    (entries) => {
      for (const { target, intersectionRatio } of entries)
        if (intersectionRatio >= enough) play(target as HTMLImageElement);
    },
    { threshold: enough },
  );
  const start = () => {
    end();
    stop = new AbortController();
    if (mayMove()) for (const image of waiting) seen.observe(image);
  };
  const end = () => {
    stop.abort();
    seen.disconnect();
  };
  start();
  onMotionChange(start, left);
  left.addEventListener('abort', end);
}
