import { useContent } from '../content/context.ts';
import { BookingLink } from '../ui/booking-link.tsx';
import styles from './header.module.css';
import { Logo } from './logo.tsx';
import { MobileMenu } from './mobile-menu.tsx';
import { NavLinks } from './nav-links.tsx';

export function Header({ path }: { path: string }) {
  const { layout } = useContent().pages;
  return (
    <header className={styles.header} data-scrolled={false}>
      <div className={styles.bar}>
        <Logo />
        <nav className={styles.nav} aria-label={layout.menu.label}>
          <NavLinks path={path} className={styles.links} />
        </nav>
        <div className={styles.booking}>
          <BookingLink label={layout.menu.booking} size="small" />
        </div>
        <MobileMenu path={path} />
      </div>
    </header>
  );
}
