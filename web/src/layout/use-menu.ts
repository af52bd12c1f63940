import { useEffect, useRef, useState } from 'react';
import { whenIdle } from '../lib/idle.ts';

export const menuId = 'menu';

/**
 * What the script adds to the menu's popover: what lies behind is out of
 * reach, Tab stays inside, and a link, a new page or a wide screen closes it.
 */
export function useMenu(path: string) {
  const root = useRef<HTMLDivElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);

  useEffect(() => {
    const element = menu.current;
    if (!element) return;
    const update = () => setOpen(element.matches(':popover-open'));
    const onClick = (event: Event) => {
      if (event.target instanceof Element && event.target.closest('a')) element.hidePopover();
    };
    update();
    element.addEventListener('toggle', update);
    element.addEventListener('click', onClick);
    return () => {
      element.removeEventListener('toggle', update);
      element.removeEventListener('click', onClick);
    };
  }, []);

  // A new path closes the menu; the first one may find it opened before the script was there.
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    if (menu.current?.matches(':popover-open')) menu.current.hidePopover();
  }, [path]);

  useEffect(() => {
    if (!open) return;
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
    root.current?.addEventListener('keydown', (event) => keepFocus(event, root.current), {
      signal,
    });
    const wide = matchMedia('(min-width: 960px)');
    wide.addEventListener('change', () => menu.current?.hidePopover(), { signal });
    return () => {
      callOff();
      ending.abort();
      setInert(false);
    };
  }, [open]);

  return { root, menu, open };
}

/** Tab goes round between the toggle and the menu's links. */
function keepFocus(event: KeyboardEvent, root: HTMLElement | null) {
  if (event.key !== 'Tab') return;
  const stops = [...(root?.querySelectorAll<HTMLElement>('button, a') ?? [])];
  const [first, last] = [stops.at(0), stops.at(-1)];
  const [from, to] = event.shiftKey ? [first, last] : [last, first];
  if (document.activeElement !== from) return;
  event.preventDefault();
  to?.focus();
}
