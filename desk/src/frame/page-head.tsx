import { type ReactNode, useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { useOwner } from '../api/owner.ts';
import { useWaiting } from '../api/queries.ts';
import { useIsShown } from '../lib/shown.ts';
import button from '../ui/button.module.css';
import prose from '../ui/prose.module.css';
import styles from './frame.module.css';

/** Sets the title of the tab: the number of waiting leads, then the page. */
export function useTitle(page: string): void {
  const waiting = useWaiting()?.counts.waiting ?? 0;
  const { name } = useOwner().site;
  const isShown = useIsShown();
  useEffect(() => {
    if (isShown) document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${page} | ${name} desk`;
  }, [page, waiting, name, isShown]);
}

interface Props {
  title: string;
  /** A sentence or a few words beside the title. */
  summary?: ReactNode;
  /** Links to the pages that belong together. */
  views?: { label: string; path: string }[];
  /** Controls at the end of the line. */
  children?: ReactNode;
}

export function PageHead({ title, summary, views, children }: Props) {
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
      {summary && <p className={styles.summary}>{summary}</p>}
      {children && <div className={styles.end}>{children}</div>}
    </header>
  );
}
