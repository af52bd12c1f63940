/**
 * Handles a visitor's actions on islands that React has not taken over yet. Listeners on the document serve all islands,
 * on every page. A touch wakes an island; a submit or a click is held and repeated once it is awake. An island that
 * doesn't wake in time stays plain HTML and works as such.
 */
import { openEvent } from '../lib/events.ts';
import { leaveAsServed, unmountIsland, wake } from './wake.ts';

const touches = ['pointerover', 'pointerdown', 'touchstart', 'focusin', 'keydown'];

/** How long the visitor must pause before an island wakes, in milliseconds: parsing React would delay what is typed. */
const typingPause = 200;

/** How long a submit or a click waits for its island, in milliseconds. */
const wakeTimeout = 3_000;

export function wakeOnTouch() {
  let waiting: ReturnType<typeof setTimeout> | undefined;
  const onTouch = (event: Event) => {
    const host = islandAt(event.target);
    if (!host || host.dataset.state) return;
    clearTimeout(waiting);
    waiting = setTimeout(() => wake(host), isHover(event) ? 0 : typingPause);
  };
  for (const touch of touches) document.addEventListener(touch, onTouch, { passive: true });
}

/** A hovering pointer isn't typing; a finger is over something only when it presses. */
const isHover = (event: Event) =>
  event.type === 'pointerover' && (event as PointerEvent).pointerType !== 'touch';

export function holdSubmitsAndClicks() {
  document.addEventListener('submit', onSubmit, true);
  document.addEventListener('click', onClick, true);
}

/** Prepares the islands of one page. The browser's own checks are off in their forms, so that every submit reaches us. */
export function prepareIslands(main: HTMLElement, signal: AbortSignal) {
  for (const host of main.querySelectorAll<HTMLElement>('[data-island]')) {
    for (const form of host.querySelectorAll('form')) form.noValidate = true;
    signal.addEventListener('abort', () => unmountIsland(host));
  }
}

/** The island that an element is in, or opens (`data-opens`). */
function islandAt(target: EventTarget | null): HTMLElement | null {
  if (!(target instanceof Element)) return null;
  const around = target.closest<HTMLElement>('[data-island]');
  const opens = target.closest<HTMLElement>('[data-opens]')?.dataset.opens;
  return around ?? (opens ? document.querySelector(`[data-island="${opens}"]`) : null);
}

async function onSubmit(event: SubmitEvent) {
  const form = event.target as HTMLFormElement;
  const host = islandAt(form);
  if (!host || host.dataset.state) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  // A second press changes nothing.
  if (form.ariaBusy) return;
  form.ariaBusy = 'true';
  await wakeInTime(host);
  form.ariaBusy = null;
  // A broken island was put back as served: then the form is another element.
  (form.isConnected ? form : host.querySelector('form'))?.requestSubmit();
}

async function onClick(event: MouseEvent) {
  const link = (event.target as Element).closest<HTMLAnchorElement>('a[data-opens]');
  const host = link && islandAt(link);
  if (!host || host.dataset.state === 'plain' || !isPlainClick(event)) return;
  event.preventDefault();
  if (await wakeInTime(host)) host.dispatchEvent(new CustomEvent(openEvent, { detail: link }));
  else location.assign(link.href);
}

const isPlainClick = ({ button, altKey, ctrlKey, metaKey, shiftKey }: MouseEvent) =>
  button === 0 && !altKey && !ctrlKey && !metaKey && !shiftKey;

/** Returns whether the island woke in time. One that didn't stays as served. */
async function wakeInTime(host: HTMLElement): Promise<boolean> {
  const timeout = new Promise<false>((resolve) => setTimeout(resolve, wakeTimeout, false));
  const woke = await Promise.race([wake(host), timeout]);
  if (!woke) leaveAsServed(host);
  return woke;
}
