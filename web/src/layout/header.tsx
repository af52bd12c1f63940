import { useContent } from '../content/context.ts';
import { BookingLink } from '../ui/contact-links.tsx';
import { Icon } from '../ui/icon.tsx';
import styles from './header.module.css';
import { Logo } from './logo.tsx';

export function Header({ path }: { path: string }) {
  const { layout } = useContent().pages;
  return (
    <>
      <a className={styles.skip} href="#main">
        {layout.skip_to_content}
      </a>
      <header className={styles.header} data-scrolled={false}>
        <div className={`column ${styles.bar}`}>
          <Logo />
          <nav className={styles.nav} aria-label={layout.menu.label}>
            <NavLinks path={path} className={styles.barLinks} />
          </nav>
          <div className={styles.booking}>
            <BookingLink label={layout.menu.booking} size="small" />
          </div>
          <MobileMenu path={path} />
        </div>
      </header>
    </>
  );
}

/** The main links; a post belongs to the blog. */
function NavLinks({ path, className }: { path: string; className: string }) {
  const { layout } = useContent().pages;
  const current = path.startsWith('/blog/') ? '/blog' : path;
  return (
    <ul className={className}>
      {layout.nav.map((link) => (
        <li key={link.path}>
          <a
            href={link.path}
            className={styles.link}
            aria-current={
              link.path === current ? (link.path === path ? 'page' : 'true') : undefined
            }
          >
            {link.label}
          </a>
        </li>
      ))}
    </ul>
  );
}

const menuId = 'menu';

/** A popover: the browser opens and closes it, with or without a script. `behaviours/menu.ts` does the rest. */
function MobileMenu({ path }: { path: string }) {
  const { menu } = useContent().pages.layout;
  return (
    <div className={styles.mobile}>
      <button type="button" className={styles.toggle} popoverTarget={menuId}>
        <span>
          <Icon name="menu" size={24} />
          <span className="visually-hidden">{menu.open}</span>
        </span>
        <span>
          <Icon name="close" size={24} />
          <span className="visually-hidden">{menu.close}</span>
        </span>
      </button>
      <div id={menuId} popover="auto" className={styles.menu}>
        <nav aria-label={menu.label}>
          <NavLinks path={path} className={styles.menuLinks} />
        </nav>
        <BookingLink label={menu.booking} wide />
      </div>
    </div>
  );
}
