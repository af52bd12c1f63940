import { type ReactNode, useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { useOwner } from '../api/owner.ts';
import { useWaiting } from '../api/queries.ts';
import button from '../ui/button.module.css';
import prose from '../ui/prose.module.css';
import styles from './frame.module.css';

/** The title of the tab: the page and, before it, how many leads wait. */
export function useTitle(page: string): void {
  const waiting = useWaiting()?.counts.waiting ?? 0;
  const { name } = useOwner().site;
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${page} | ${name} desk`;
  }, [page, waiting, name]);
}

interface Props {
  title: string;
  says?: ReactNode;
  /** Links to the pages that belong together. */
  views?: { label: string; path: string }[];
  /** Controls at the end of the line. */
  children?: ReactNode;
}

export function PageHead({ title, says, views, children }: Props) {
  const [location] = useLocation();
  useTitle(title);
  return (
    <header className={styles.head}>
      <h1 className={prose.title}>{title}</h1>
      {views && (
        <nav className={button.segments} aria-label={title}>
          {views.map(({ label, path }) => (
            <Link key={path} href={path} aria-current={path === location ? 'page' : undefined}>
              {label}
            </Link>
          ))}
        </nav>
      )}
      {says && <p className={styles.says}>{says}</p>}
      {children && <div className={styles.end}>{children}</div>}
    </header>
  );
}
