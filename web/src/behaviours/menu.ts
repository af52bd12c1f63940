/**
 * What the script adds to the menu's popover: what lies behind is out of
 * reach, Tab stays inside, and a link, a new page or a wide screen closes it.
 * Where there are no popovers (Firefox before 125) it opens and closes it too.
 */

import { newPage } from '../lib/events.ts';
import { whenIdle } from '../lib/idle.ts';
import { lockScroll } from '../lib/scroll.ts';

type Parts = { root: HTMLElement; toggle: HTMLElement; menu: HTMLElement };

export function menu() {
  const root = document.querySelector<HTMLElement>('[data-menu]');
  const toggle = root?.querySelector('button');
  const panel = root?.querySelector<HTMLElement>('[id]');
  if (root && toggle && panel) attach({ root, toggle, menu: panel });
}

const hasPopovers = () => 'popover' in HTMLElement.prototype;

function attach(parts: Parts) {
  const { root, toggle, menu } = parts;
  let release: (() => void) | undefined;
  const set = (open: boolean) => {
    if (open === Boolean(release)) return;
    release?.();
    release = open ? guard(parts, close) : undefined;
    show(parts, open);
  };
  const close = () => {
    menu.hidePopover?.();
    set(false);
  };

  // It may have been opened before the script was there.
  set(isShown(menu));
  menu.addEventListener('toggle', (event) => set((event as ToggleEvent).newState === 'open'));
  toggle.addEventListener('click', () => {
    if (!hasPopovers()) set(!release);
  });
  document.addEventListener(newPage, close);
  onlyCloseBeside(root, () => Boolean(release), close);
}

/** The button says what it does next. */
function show({ root, toggle, menu }: Parts, open: boolean) {
  const { label = '', otherLabel = '' } = toggle.dataset;
  toggle.ariaLabel = open ? otherLabel : label;
  root.toggleAttribute('data-open', open);
  if (hasPopovers()) return;
  // A popover is shown, and its button says by itself whether it is open.
  menu.toggleAttribute('data-open', open);
  toggle.ariaExpanded = String(open);
}

function isShown(menu: HTMLElement): boolean {
  try {
    return menu.matches(':popover-open');
  } catch {
    // The browser does not know the selector.
    return false;
  }
}

/** Keeps the visitor in the open menu, and sees when it is to close; returns what ends it. */
function guard({ root, toggle, menu }: Parts, close: () => void): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const behind = document.querySelectorAll<HTMLElement>(
    `#main, footer, header a:not(#${menu.id} a)`,
  );
  const setInert = (inert: boolean) => {
    for (const element of behind) element.inert = inert;
  };
  // Has the whole page styled anew, which the menu must not wait for. Tab stays inside at once.
  const callOff = whenIdle(() => setInert(true));
  // A popover does so by itself; said twice, the page is styled twice.
  const unlockScroll = hasPopovers() ? () => {} : lockScroll();
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Tab') keepFocus(event, root);
    if (event.key !== 'Escape') return;
    close();
    toggle.focus();
  };
  const onClick = ({ target }: Event) => {
    if ((target as Element).closest('a')) close();
  };
  document.addEventListener('keydown', onKey, { signal });
  root.addEventListener('click', onClick, { signal });
  matchMedia('(min-width: 960px)').addEventListener('change', close, { signal });
  return () => {
    callOff();
    unlockScroll();
    ending.abort();
    setInert(false);
  };
}

/** A press beside the open menu closes it and is nobody else's. */
function onlyCloseBeside(root: HTMLElement, isOpen: () => boolean, close: () => void) {
  let beside = false;
  const onPress = ({ target }: Event) => {
    beside = isOpen() && !root.contains(target as Node);
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
