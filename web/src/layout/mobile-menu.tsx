import { useContent } from '../content/context.ts';
import { BookingLink } from '../ui/booking-link.tsx';
import { Icon } from '../ui/icon.tsx';
import styles from './mobile-menu.module.css';
import { NavLinks } from './nav-links.tsx';

const menuId = 'menu';

/**
 * A popover: the browser opens and closes it (toggle, Escape, a tap beside it)
 * even before the script is there (`behaviours/menu.ts`).
 */
export function MobileMenu({ path }: { path: string }) {
  const { layout } = useContent().pages;
  return (
    <div className={styles.root} data-menu>
      <button
        type="button"
        className={styles.toggle}
        popoverTarget={menuId}
        aria-controls={menuId}
        aria-label={layout.menu.open}
        data-label={layout.menu.open}
        data-other-label={layout.menu.close}
      >
        <Icon name="menu" size={24} />
        <Icon name="close" size={24} />
      </button>
      <div id={menuId} popover="auto" className={styles.menu}>
        <nav aria-label={layout.menu.label}>
          <NavLinks path={path} className={styles.links} />
        </nav>
        <BookingLink label={layout.menu.booking} wide />
      </div>
    </div>
  );
}
