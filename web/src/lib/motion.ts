/** Whether the page may move by itself: the system's setting and the visitor's choice for this tab decide. */
import { reducedMotion } from './scroll.ts';
import { tabStorage } from './tab-storage.ts';

const key = 'motion';
const changed = 'motionchange';

export const isMotionPaused = () => tabStorage.get<string>(key) === 'paused';

export const mayMove = () => !reducedMotion() && !isMotionPaused();

/** Only for motion that doesn't end by itself, as that after a press or a scroll does. */
export function setMotionPaused(paused: boolean) {
  if (paused) tabStorage.set(key, 'paused');
  else tabStorage.remove(key);
  document.dispatchEvent(new Event(changed));
}

export function onMotionChange(listener: () => void, signal: AbortSignal) {
  const system = matchMedia('(prefers-reduced-motion: reduce)');
  document.addEventListener(changed, listener, { signal });
  system.addEventListener('change', listener, { signal });
}
