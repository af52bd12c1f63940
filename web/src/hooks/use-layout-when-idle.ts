import { type RefObject, useEffect, useRef } from 'react';
import { whenIdle } from '../lib/idle.ts';

const waiting: HTMLElement[] = [];

/**
 * Lays out what the first paint left for later (`content-visibility: auto`),
 * one element at a time: all at once would keep the page from answering.
 */
export function useLayoutWhenIdle<E extends HTMLElement>(): RefObject<E | null> {
  const ref = useRef<E>(null);
  useEffect(() => {
    if (ref.current && waiting.push(ref.current) === 1) next();
  }, []);
  return ref;
}

function next() {
  whenIdle(() =>
    requestAnimationFrame(() => {
      const element = waiting.shift();
      if (element) element.style.contentVisibility = 'visible';
      if (waiting.length > 0) next();
    }),
  );
}
