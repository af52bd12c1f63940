import { useContent } from '../content/context.ts';
import { classes } from '../ui/classes.ts';
import styles from './nav-links.module.css';

/** The main links; a post belongs to the blog. */
export function NavLinks({ path, className }: { path: string; className?: string | undefined }) {
  const { layout } = useContent().pages;
  const current = path.startsWith('/blog/') ? '/blog' : path;
  return (
    <ul className={classes(styles.list, className)}>
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
