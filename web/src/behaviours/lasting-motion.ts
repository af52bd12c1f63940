/** Motion that goes on without the visitor (particles, scenes), and the button that pauses it. */
import { whenIdle } from '../lib/idle.ts';
import { isMotionPaused, mayMove, onMotionChange, setMotionPaused } from '../lib/motion.ts';
import { reducedMotion } from '../lib/scroll.ts';

/**
 * Any button with `data-pause-motion` pauses and resumes motion, for the tab. The root's `data-motion` has the state:
 * without this script there is neither the attribute nor a visible button.
 */
export function pauseMotion() {
  showMotion();
  document.addEventListener('click', ({ target }) => {
    if (!(target instanceof Element && target.closest('[data-pause-motion]'))) return;
    setMotionPaused(!isMotionPaused());
    showMotion();
  });
}

function showMotion() {
  document.documentElement.dataset.motion = isMotionPaused() ? 'paused' : 'on';
}

/** The hero's particles are decoration: they load when the page is idle, and never if less motion is asked for. */
export function particles(main: HTMLElement, signal: AbortSignal) {
  const canvas = main.querySelector<HTMLCanvasElement>('canvas[data-particles]');
  const area = canvas?.parentElement;
  if (!canvas || !area || reducedMotion()) return;
  const cancel = whenIdle(async () => {
    const { startParticles } = await import('../particles/start-particles.ts');
    if (signal.aborted) return;
    signal.addEventListener('abort', startParticles(canvas, area));
  });
  signal.addEventListener('abort', cancel);
}

/** The share of a scene that must be on screen before it plays. */
const playThreshold = 0.4;

/** Images with `data-scene` play when they come on screen, once per page. */
export function playScenes(main: HTMLElement, signal: AbortSignal) {
  const waiting = new Set(main.querySelectorAll<HTMLImageElement>('[data-scene]'));
  let playback = new AbortController();
  const play = async (image: HTMLImageElement) => {
    visibility.unobserve(image);
    const stopped = playback.signal;
    try {
      // Loaded only on a page where a scene is seen.
      const { playScene } = await import('../lib/scene.ts');
      if (await playScene(image, stopped)) waiting.delete(image);
    } catch {
      // A picture that cannot play stays as it is.
    }
  };
  const visibility = new IntersectionObserver(
    (entries) => {
      for (const { target, intersectionRatio } of entries)
        if (intersectionRatio >= playThreshold) play(target as HTMLImageElement);
    },
    { threshold: playThreshold },
  );
  const start = () => {
    stop();
    playback = new AbortController();
    if (mayMove()) for (const image of waiting) visibility.observe(image);
  };
  const stop = () => {
    playback.abort();
    visibility.disconnect();
  };
  start();
  onMotionChange(start, signal);
  signal.addEventListener('abort', stop);
}
