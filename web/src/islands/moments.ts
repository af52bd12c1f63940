/** When islands wake: touched, about to be seen, or with time to spare. */
import { whenIdle } from '../lib/idle.ts';
import { isAsleep, islandAt } from './find.ts';
import { putToRest, wake } from './wake.ts';

/** How near the screen is soon, in pixels. */
const near = '200px';

const touches = ['pointerover', 'pointerdown', 'touchstart', 'focusin', 'keydown'];

/** How long a hand rests before its island wakes, in milliseconds: reading React would hold up the next letter. */
const rest = 200;

/** One ear for all islands, on every page. A press does not wait for any of this (`presses.ts`). */
export function wakeOnTouch() {
  let resting: ReturnType<typeof setTimeout> | undefined;
  const onTouch = (event: Event) => {
    const host = islandAt(event.target);
    if (!host || !isAsleep(host)) return;
    clearTimeout(resting);
    resting = setTimeout(() => wake(host), isHover(event) ? 0 : rest);
  };
  for (const touch of touches) document.addEventListener(touch, onTouch, { passive: true });
}

/** A pointer that passes over types nothing; a finger is over something only as it presses. */
const isHover = (event: Event) =>
  event.type === 'pointerover' && (event as PointerEvent).pointerType !== 'touch';

/** Those of one page. Their forms check themselves, so every press reaches us (`presses.ts`). */
export function islandsOf(main: HTMLElement, left: AbortSignal) {
  for (const host of main.querySelectorAll<HTMLElement>('[data-island]')) {
    for (const form of host.querySelectorAll('form')) form.noValidate = true;
    if (host.dataset.wake === 'idle')
      left.addEventListener(
        'abort',
        whenIdle(() => wake(host)),
      );
    if (host.dataset.wake === 'visible') wakeWhenNear(host, left);
    left.addEventListener('abort', () => putToRest(host));
  }
}

function wakeWhenNear(host: HTMLElement, left: AbortSignal) {
  if (!('IntersectionObserver' in window)) return void whenIdle(() => wake(host));
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      wake(host);
    },
    { rootMargin: near },
  );
  observer.observe(host);
  left.addEventListener('abort', () => observer.disconnect());
}
