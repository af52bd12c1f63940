/** One listener for all keys. Letters do nothing while you write or a dialog is open. */
import { useContext, useEffect, useRef } from 'react';
import { PageContext } from './shown.ts';

type Press = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

/** Keyed by name: `a`, `?`, `enter`, `escape`, `shift+s`, `ctrl+enter`. */
type Handlers = Record<string, (() => unknown) | undefined>;

const activeHandlers: { current: { handlers: Handlers; isOpen: () => boolean } }[] = [];

/** The handlers are active while the component is mounted; those mounted last take precedence. */
export function useKeys(handlers: Handlers): void {
  const { isOpen } = useContext(PageContext);
  const latest = useRef({ handlers, isOpen });
  latest.current = { handlers, isOpen };
  useEffect(() => {
    activeHandlers.push(latest);
    // Adding the same function again changes nothing.
    document.addEventListener('keydown', onKeyDown);
    return () => {
      activeHandlers.splice(activeHandlers.indexOf(latest), 1);
    };
  }, []);
}

/** Nothing for a key that the focused field or control, or the browser, handles itself. */
export function keyName(press: Press, focus?: 'field' | 'control'): string | undefined {
  const { key } = press;
  if (key === 'Enter' && (press.ctrlKey || press.metaKey)) return 'ctrl+enter';
  if (press.ctrlKey || press.metaKey || press.altKey) return undefined;
  if (key === 'Escape') return 'escape';
  if (focus === 'field' || (focus === 'control' && key === 'Enter')) return undefined;
  // With Caps Lock, letters mean the same; only `shift+s` needs Shift itself.
  if (key === 'S' && press.shiftKey) return 'shift+s';
  return key.toLowerCase();
}

const fields = 'input:not([type=checkbox], [type=radio]), textarea, select';

function onKeyDown(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (event.defaultPrevented || document.querySelector('dialog[open]')) return;
  const control = target.matches?.('a, button, summary') ? 'control' : undefined;
  const name = keyName(event, target.matches?.(fields) ? 'field' : control);
  if (!name) return;
  const active = activeHandlers.findLast(
    ({ current: { handlers, isOpen } }) => handlers[name] && isOpen(),
  );
  if (!active) return;
  event.preventDefault();
  active.current.handlers[name]?.();
}
