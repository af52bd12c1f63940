/**
 * Lets the visitor stop whatever moves for longer than a moment (particles, shapes, scenes), by any
 * button with `data-pause-motion`; remembered for the tab. The page shows which of the two it is
 * by `data-motion` on its root: without this script there is neither that nor a button to see.
 */
import { isMotionPaused, pause } from '../lib/motion.ts';

export function pauseMotion() {
  show();
  document.addEventListener('click', ({ target }) => {
    if (!(target instanceof Element && target.closest('[data-pause-motion]'))) return;
    pause(!isMotionPaused());
    show();
  });
}

function show() {
  document.documentElement.dataset.motion = isMotionPaused() ? 'paused' : 'on';
}
