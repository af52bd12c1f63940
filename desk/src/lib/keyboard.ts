/** One listener for all keys; whoever was mounted last hears a key first. */
import { useEffect, useRef } from 'react';
import { type KeyAction, keyAction } from './keys.ts';

export type KeyHandlers = Partial<Record<KeyAction, () => void>>;

const mounted: { current: KeyHandlers }[] = [];

/** While mounted, these are called; a dialog that is open keeps them all asleep. */
export function useKeys(handlers: KeyHandlers): void {
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    mounted.push(latest);
    return () => {
      mounted.splice(mounted.indexOf(latest), 1);
    };
  }, []);
}

const fields = 'input:not([type=checkbox], [type=radio]), textarea, select';

function onKeyDown(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (event.defaultPrevented || document.querySelector('dialog[open]')) return;
  const action = keyAction({
    key: event.key,
    ctrlKey: event.ctrlKey,
    metaKey: event.metaKey,
    altKey: event.altKey,
    shiftKey: event.shiftKey,
    writing: target.matches?.(fields),
    onControl: target.matches?.('a, button, summary'),
  });
  const handler =
    action && mounted.findLast(({ current }) => current[action] !== undefined)?.current;
  if (!action || !handler) return;
  event.preventDefault();
  handler[action]?.();
}

export function listenToKeys(): () => void {
  document.addEventListener('keydown', onKeyDown);
  return () => document.removeEventListener('keydown', onKeyDown);
}
