/**
 * Fades and slides things in, once. Nothing is hidden in the HTML: what is below the screen when the script starts is
 * hidden then, and without a script everything is simply there. Each thing moves once: what comes on screen together with
 * the section around it moves as part of that section.
 */
import { sectionThreshold } from '../lib/reveal-timing.ts';
import { reducedMotion } from '../lib/scroll.ts';

/** How far below its place a hidden element is, in pixels (`--travel`). */
const travel = 24;

/** The observer reports every hundredth, up to the largest threshold. */
const thresholds = Array.from({ length: 21 }, (_, step) => step / 100);

/** Watches the elements with `data-fade` (their threshold) and perhaps `data-delay` (in milliseconds). */
export function reveal(main: HTMLElement, signal: AbortSignal) {
  if (reducedMotion()) return;
  const observer = new IntersectionObserver(
    (entries) => {
      const shownNow = new Set<Element>();
      // A busy page gets several reports on one element at once, the oldest first.
      for (const entry of entries) {
        const element = entry.target as HTMLElement;
        // An element that is on screen at the first report stays as it is.
        if (!element.dataset.reveal && entry.isIntersecting) showWithoutMotion(element);
        if (element.dataset.reveal !== 'shown') {
          element.dataset.reveal = 'hidden';
          if (isDue(entry)) show(element, shownNow);
        }
        if (element.dataset.reveal === 'shown') observer.unobserve(element);
      }
    },
    { threshold: thresholds, rootMargin: `0px 0px ${travel}px` },
  );
  for (const element of main.querySelectorAll('[data-fade]')) observer.observe(element);
  signal.addEventListener('abort', () => observer.disconnect());
}

const share = (element: HTMLElement) => Number(element.dataset.fade);

/** A fifth of a very tall element may not fit on the screen: then most of a screen is enough. */
const isDue = ({ target, intersectionRatio, intersectionRect }: IntersectionObserverEntry) =>
  intersectionRatio >= share(target as HTMLElement) || intersectionRect.height >= 0.8 * innerHeight;

function showWithoutMotion(element: HTMLElement) {
  element.dataset.reveal = 'shown';
  element.style.animation = 'none';
}

function show(element: HTMLElement, shownNow: Set<Element>) {
  const around = element.parentElement?.closest<HTMLElement>('[data-reveal]');
  // A card that is due doesn't wait for its section.
  if (around?.dataset.reveal === 'hidden' && share(element) === sectionThreshold)
    show(around, shownNow);
  const movesWithParent = around && (around.dataset.reveal === 'hidden' || shownNow.has(around));
  shownNow.add(element);
  if (movesWithParent) return showWithoutMotion(element);
  element.style.animationDelay = `${Number(element.dataset.delay ?? 0) + timeLeft(around)}ms`;
  element.dataset.reveal = 'shown';
}

/** How long the element still moves, in milliseconds. What is inside starts after that: two motions at once would add up. */
function timeLeft(element: HTMLElement | null | undefined): number {
  const motion = element?.getAnimations()[0];
  const end = motion?.effect?.getComputedTiming().endTime ?? 0;
  return Number(end) - Number(motion?.currentTime ?? 0);
}
