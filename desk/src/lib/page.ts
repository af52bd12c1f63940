/** What pages share with the frame: whether they are in sight, the server's time, and the keys. */
import { createContext, use, useEffect, useRef, useState, useSyncExternalStore } from 'react';

/** What a page knows of itself. The inbox stays mounted while another page is open. */
export const PageContext = createContext({
  /** Whether the address is its own. */
  isOpen: (): boolean => true,
  /** Whether it is open and was painted: what the first paint doesn't need waits for that. */
  isShown: true,
});

export const useIsShown = (): boolean => use(PageContext).isShown;

export const afterPaint = (run: () => void) => requestAnimationFrame(() => setTimeout(run));

/** A value outside React: components that `use` it render again when it is `set`. */
export function createStore<T>(value: T) {
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    get: () => value,
    set: (next: T) => {
      value = next;
      for (const listener of listeners) listener();
    },
    use: () => useSyncExternalStore(subscribe, () => value),
  };
}

/** How far the server's clock is ahead of the browser's, in milliseconds. */
let clockOffset = 0;

export function setServerTime(now: string): void {
  const difference = Date.parse(now) - Date.now();
  // Smaller differences are only the time the request took.
  clockOffset = Math.abs(difference) > 2000 ? difference : 0;
}

export const serverNow = (): number => Date.now() + clockOffset;

/** The server's time; the component renders again this often, but not while its page is hidden. */
export function useNow(everyMs = 15_000): number {
  const [now, setNow] = useState(Date.now);
  const isShown = useIsShown();
  useEffect(() => {
    if (!isShown) return;
    setNow((before) => (Date.now() - before < everyMs ? before : Date.now()));
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, isShown]);
  return now + clockOffset;
}

type Press = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

/** Keyed by name: `a`, `?`, `enter`, `escape`, `shift+s`, `ctrl+enter`. */
type Handlers = Record<string, (() => unknown) | undefined>;

const activeHandlers: { current: { handlers: Handlers; isOpen: () => boolean } }[] = [];

/** The handlers are active while the component is mounted; those mounted last take precedence. */
export function useKeys(handlers: Handlers): void {
  const { isOpen } = use(PageContext);
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
