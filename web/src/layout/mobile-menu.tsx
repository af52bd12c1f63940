import layout from 'content:layout';
import { BookingLink } from '../ui/booking-link.tsx';
import { Icon } from '../ui/icon.tsx';
import styles from './mobile-menu.module.css';
import { NavLinks } from './nav-links.tsx';
import { menuId, useMenu } from './use-menu.ts';

/**
 * A popover: the browser opens and closes it (toggle, Escape, a tap beside it)
 * even before the script is there.
 */
export function MobileMenu({ path }: { path: string }) {
  const { root, menu, open, plain, toggle } = useMenu(path);
  return (
    <div ref={root} className={styles.root}>
      <button
        type="button"
        className={styles.toggle}
        popoverTarget={menuId}
        // A popover's button says by itself whether it is open.
        aria-expanded={plain || undefined}
        aria-controls={menuId}
        aria-label={open ? layout.menu.close : layout.menu.open}
        onClick={toggle}
      >
        <Icon name={open ? 'close' : 'menu'} size={24} />
      </button>
      <div
        ref={menu}
        id={menuId}
        popover="auto"
        className={styles.menu}
        data-open={plain || undefined}
      >
        <nav aria-label={layout.menu.label}>
          <NavLinks path={path} className={styles.links} />
        </nav>
        <BookingLink label={layout.menu.booking} wide />
      </div>
    </div>
  );
}
