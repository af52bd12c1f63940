/** One listener for all keys. Letters do nothing while one writes, or while a dialog is open. */
import { useEffect, useRef } from 'react';

type Press = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

/** By the key's name: `a`, `?`, `enter`, `escape`, `shift+s`, `ctrl+enter`. */
type Handlers = Record<string, (() => unknown) | undefined>;

const mounted: { current: Handlers }[] = [];

/** Calls these while the component is mounted; the component mounted last hears a key first. */
export function useKeys(handlers: Handlers): void {
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    mounted.push(latest);
    // The same function twice is one listener.
    document.addEventListener('keydown', onKeyDown);
    return () => {
      mounted.splice(mounted.indexOf(latest), 1);
    };
  }, []);
}

/** Nothing for a key that belongs to the field, to the link or button, or to the browser. */
export function keyName(press: Press, focus?: 'field' | 'control'): string | undefined {
  const { key } = press;
  if (key === 'Enter' && (press.ctrlKey || press.metaKey)) return 'ctrl+enter';
  if (press.ctrlKey || press.metaKey || press.altKey) return undefined;
  if (key === 'Escape') return 'escape';
  if (focus === 'field' || (focus === 'control' && key === 'Enter')) return undefined;
  // Locked capitals mean the same letters, so only `s` asks for Shift itself.
  if (key === 'S' && press.shiftKey) return 'shift+s';
  return key.toLowerCase();
}

const fields = 'input:not([type=checkbox], [type=radio]), textarea, select';

function onKeyDown(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (event.defaultPrevented || document.querySelector('dialog[open]')) return;
  const control = target.matches?.('a, button, summary') ? 'control' : undefined;
  const name = keyName(event, target.matches?.(fields) ? 'field' : control);
  const handlers = mounted.findLast(({ current }) => name && current[name])?.current;
  if (!name || !handlers) return;
  event.preventDefault();
  handlers[name]?.();
}
