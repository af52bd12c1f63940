/** Whether things may move: by the system's setting, and by the visitor's choice for this tab. */
import { reducedMotion } from './scroll.ts';
import { tabStorage } from './tab-storage.ts';

const key = 'motion';
const changed = 'motionchange';

export const isMotionPaused = () => tabStorage.get<string>(key) === 'paused';

export const mayMove = () => !reducedMotion() && !isMotionPaused();

/** For motion that lasts; what a press or a scroll sets off is over at once. */
export function pause(paused: boolean) {
  if (paused) tabStorage.set(key, 'paused');
  else tabStorage.remove(key);
  document.dispatchEvent(new Event(changed));
}

export function onMotionChange(listener: () => void, signal: AbortSignal) {
  const system = matchMedia('(prefers-reduced-motion: reduce)');
  document.addEventListener(changed, listener, { signal });
  system.addEventListener('change', listener, { signal });
}
