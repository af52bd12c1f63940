import { type RefObject, useEffect, useRef } from 'react';
import { whenIdle } from '../lib/idle.ts';

/** Elements that are laid out together. */
type Step = HTMLElement[];

const waiting: Step[] = [];

const asOne = (element: HTMLElement): Step[] => [[element]];

/**
 * Lays out what the first paint left for later (`--far` in `base.css`), step
 * by step: all at once would keep the page from answering.
 */
export function useLayoutWhenIdle<E extends HTMLElement>(
  steps: (element: HTMLElement) => Step[] = asOne,
): RefObject<E | null> {
  const ref = useRef<E>(null);
  useEffect(() => {
    if (!ref.current) return;
    const resting = waiting.length === 0;
    waiting.push(...steps(ref.current));
    if (resting) next();
  }, [steps]);
  return ref;
}

function next() {
  whenIdle(() =>
    requestAnimationFrame(() => {
      for (const element of waiting.shift() ?? []) element.style.contentVisibility = 'visible';
      if (waiting.length > 0) next();
    }),
  );
}
