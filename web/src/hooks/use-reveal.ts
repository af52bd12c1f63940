import { type RefObject, useEffect, useRef } from 'react';
import { reducedMotion } from '../lib/scroll.ts';

/** Sections and cards show themselves once a fifth of them is on screen. */
export const sectionThreshold = 0.2;
/** Single elements (images, headings, list items) a little earlier. */
export const fadeInThreshold = 0.1;

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
    const { top, bottom, height } = element.getBoundingClientRect();
    if (bottom > 0 && top < innerHeight) return;

    element.dataset.reveal = 'hidden';
    // A fifth of a very tall element may never fit the screen: then most of a screen is enough.
    const reachable = Math.min(threshold, (0.8 * innerHeight) / Math.max(height, 1));
    const observer = new IntersectionObserver(
      (entries) => {
        // A busy page gets several reports at once, the oldest first.
        if (!entries.some((entry) => entry.isIntersecting)) return;
        observer.disconnect();
        element.style.transitionDelay = `${delay}ms`;
        element.dataset.reveal = 'shown';
      },
      { threshold: reachable },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [threshold, delay]);
  return ref;
}
