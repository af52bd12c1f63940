/**
 * Plays the scenes: what the images with `data-scene` show comes to life when they come on screen,
 * and rests again when it is told. Each plays once on a page, as often as its own drawing says.
 */
import { mayMove, onMotionChange } from '../lib/motion.ts';

/** The share of a picture that is to be seen before it moves. */
const enough = 0.4;

export function playScenes(main: HTMLElement, left: AbortSignal) {
  const waiting = new Set(main.querySelectorAll<HTMLImageElement>('[data-scene]'));
  let stop = new AbortController();
  const play = async (image: HTMLImageElement) => {
    seen.unobserve(image);
    const { signal } = stop;
    try {
      // Nobody needs it before a scene is seen.
      const { playScene } = await import('../lib/scene.ts');
      if (await playScene(image, signal)) waiting.delete(image);
    } catch {
      // A picture that cannot play stays as it is: whole.
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
