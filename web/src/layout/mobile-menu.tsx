import layout from 'content:layout';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { BookingLink } from '../ui/booking-link.tsx';
import { Icon } from '../ui/icon.tsx';
import styles from './mobile-menu.module.css';
import { NavLinks } from './nav-links.tsx';

const menuId = 'menu';

/**
 * A popover: the browser opens and closes it (toggle, Escape, a tap beside it)
 * even before the script is there. The script adds the rest: what lies behind
 * is out of reach, and a link or a new page closes it.
 */
export function MobileMenu({ path }: { path: string }) {
  const menu = useRef<HTMLDivElement>(null);
  const root = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);

  useEffect(() => {
    const element = menu.current;
    if (!element) return;
    const onToggle = () => setOpen(element.matches(':popover-open'));
    onToggle();
    element.addEventListener('toggle', onToggle);
    return () => element.removeEventListener('toggle', onToggle);
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
    const behind = document.querySelectorAll<HTMLElement>('#main, footer, header a:not(#menu a)');
    for (const element of behind) element.inert = true;
    const onWide = matchMedia('(min-width: 960px)');
    const close = () => menu.current?.hidePopover();
    onWide.addEventListener('change', close);
    return () => {
      onWide.removeEventListener('change', close);
      for (const element of behind) element.inert = false;
    };
  }, [open]);

  return (
    <div
      ref={root}
      className={styles.root}
      onKeyDown={(event) => {
        if (open && event.key === 'Tab') keepFocus(event, root.current);
      }}
    >
      <button
        type="button"
        className={styles.toggle}
        popoverTarget={menuId}
        aria-expanded={open}
        aria-controls={menuId}
        aria-label={open ? layout.menu.close : layout.menu.open}
      >
        <Icon name={open ? 'close' : 'menu'} size={24} />
      </button>
      <div
        ref={menu}
        id={menuId}
        popover="auto"
        className={styles.menu}
        onClick={(event) => {
          if (event.target instanceof Element && event.target.closest('a'))
            menu.current?.hidePopover();
        }}
      >
        <nav aria-label={layout.menu.label}>
          <NavLinks path={path} className={styles.links} />
        </nav>
        <BookingLink label={layout.menu.booking} wide />
      </div>
    </div>
  );
}

/** Tab goes round between the toggle and the menu's links. */
function keepFocus(event: KeyboardEvent, root: HTMLElement | null) {
  const stops = [...(root?.querySelectorAll<HTMLElement>('button, a') ?? [])];
  const [first, last] = [stops.at(0), stops.at(-1)];
  const [from, to] = event.shiftKey ? [first, last] : [last, first];
  if (document.activeElement !== from) return;
  event.preventDefault();
  to?.focus();
}
