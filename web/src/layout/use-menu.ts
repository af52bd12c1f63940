import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { hold } from '../lib/hold.ts';
import { whenIdle } from '../lib/idle.ts';

export const menuId = 'menu';

/**
 * What the script adds to the menu's popover: what lies behind is out of
 * reach, Tab stays inside, and a link, a new page or a wide screen closes it.
 * Where there are no popovers (Firefox before 125) it opens and closes it too.
 */
export function useMenu(path: string) {
  const root = useRef<HTMLDivElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  const plain = open && !hasPopovers();

  const close = useCallback(() => {
    menu.current?.hidePopover?.();
    setOpen(false);
  }, []);

  useEffect(() => {
    const element = menu.current;
    if (!element) return;
    // It may have been opened before the script was there.
    setOpen(isShown(element));
    const onToggle = (event: Event) => setOpen((event as ToggleEvent).newState === 'open');
    element.addEventListener('toggle', onToggle);
    return () => element.removeEventListener('toggle', onToggle);
  }, []);

  const shown = useRef(path);
  useEffect(() => {
    if (shown.current !== path && open) close();
    shown.current = path;
  }, [path, open, close]);

  useOnlyCloseBeside(root, open, close);
  useEffect(() => {
    if (open && root.current) return guard(root.current, close);
  }, [open, close]);

  const toggle = () => {
    if (!hasPopovers()) setOpen(!open);
  };
  return { root, menu, open, plain, toggle };
}

const hasPopovers = () => 'popover' in HTMLElement.prototype;

function isShown(menu: HTMLElement): boolean {
  try {
    return menu.matches(':popover-open');
  } catch {
    // The browser does not know the selector.
    return false;
  }
}

/** Keeps the visitor in the open menu, and sees when it is to close; returns what ends it. */
function guard(root: HTMLElement, close: () => void): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const behind = document.querySelectorAll<HTMLElement>(
    `#main, footer, header a:not(#${menuId} a)`,
  );
  const setInert = (inert: boolean) => {
    for (const element of behind) element.inert = inert;
  };
  // Has the whole page styled anew, which the menu must not wait for. Tab stays inside at once.
  const callOff = whenIdle(() => setInert(true));
  const letGo = hold();
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Tab') keepFocus(event, root);
    if (event.key !== 'Escape') return;
    close();
    root.querySelector('button')?.focus();
  };
  const onClick = ({ target }: Event) => {
    if ((target as Element).closest('a')) close();
  };
  document.addEventListener('keydown', onKey, { signal });
  root.addEventListener('click', onClick, { signal });
  matchMedia('(min-width: 960px)').addEventListener('change', close, { signal });
  return () => {
    callOff();
    letGo();
    ending.abort();
    setInert(false);
  };
}

/** A press beside the open menu closes it and is nobody else's. */
function useOnlyCloseBeside(root: RefObject<HTMLElement | null>, open: boolean, close: () => void) {
  const isOpen = useRef(open);
  isOpen.current = open;
  useEffect(() => {
    let beside = false;
    const onPress = ({ target }: Event) => {
      beside = isOpen.current && !root.current?.contains(target as Node);
    };
    // The browser itself closes the menu before the click, which then is the page's. A key has no press.
    const onClick = (event: MouseEvent) => {
      if (!beside || event.detail === 0) return;
      beside = false;
      event.preventDefault();
      event.stopPropagation();
      close();
    };
    addEventListener('pointerdown', onPress, true);
    addEventListener('click', onClick, true);
    return () => {
      removeEventListener('pointerdown', onPress, true);
      removeEventListener('click', onClick, true);
    };
  }, [root, close]);
}

/** Tab goes round between the toggle and the menu's links. */
function keepFocus(event: KeyboardEvent, root: HTMLElement) {
  const stops = [...root.querySelectorAll<HTMLElement>('button, a')];
  const [first, last] = [stops.at(0), stops.at(-1)];
  const [from, to] = event.shiftKey ? [first, last] : [last, first];
  if (document.activeElement !== from) return;
  event.preventDefault();
  to?.focus();
}
