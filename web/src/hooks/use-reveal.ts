import { type RefObject, useEffect, useRef } from 'react';
import { reducedMotion } from '../lib/scroll.ts';

/** Sections and cards show themselves once a fifth of them is on screen. */
export const sectionThreshold = 0.2;
/** Single elements (images, headings, list items) a little earlier. */
export const fadeInThreshold = 0.1;

/** Every hundredth, up to the largest threshold. */
const steps = Array.from({ length: 21 }, (_, step) => step / 100);

/**
 * Fades and slides an element in, once. What is on screen already stays as it
 * is, and without a script nothing is ever hidden.
 */
export function useReveal<E extends HTMLElement>(
  threshold = sectionThreshold,
  delay = 0,
): RefObject<E | null> {
  const ref = useRef<E>(null);
  useEffect(() => {
    const element = ref.current;
    if (!element || reducedMotion()) return;
    const observer = new IntersectionObserver(
      (entries) => {
        const hidden = element.dataset.reveal === 'hidden';
        // What is on screen at the first report stays as it is.
        if (!hidden && entries[0]?.isIntersecting) return observer.disconnect();
        element.dataset.reveal = 'hidden';
        // A busy page gets several reports at once, the oldest first.
        if (!entries.some((entry) => isRevealed(entry, threshold))) return;
        observer.disconnect();
        element.style.transitionDelay = `${delay}ms`;
        element.dataset.reveal = 'shown';
      },
      { threshold: steps },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [threshold, delay]);
  return ref;
}

/** A fifth of a very tall element may never fit the screen: then most of a screen is enough. */
function isRevealed(
  { intersectionRatio, intersectionRect }: IntersectionObserverEntry,
  share: number,
) {
  return intersectionRatio >= share || intersectionRect.height >= 0.8 * innerHeight;
}
