import { type ReactNode, useEffect } from 'react';
import { useOwner, useWaiting } from '../api/queries.ts';
import { useIsShown } from '../lib/shown.ts';
import { createStore } from '../lib/store.ts';
import button from '../ui/button.module.css';
import prose from '../ui/prose.module.css';
import styles from './frame.module.css';

export const commandOfPage = createStore('');

/** Sets the title of the tab, with the number of waiting leads, and the shell command that shows the same. */
export function usePage(title: string, command: string): void {
  const waiting = useWaiting()?.counts.waiting ?? 0;
  const { name } = useOwner().site;
  const isShown = useIsShown();
  useEffect(() => {
    if (!isShown) return;
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${title} | ${name} desk`;
    commandOfPage.set(command);
  }, [title, command, waiting, name, isShown]);
}

interface Props {
  title: string;
  command: string;
  summary?: ReactNode;
  /** Links to the pages that belong together. */
  views?: { label: string; path: string }[];
  children?: ReactNode;
}

export function PageHead({ title, command, summary, views, children }: Props) {
  usePage(title, command);
  return (
    <header className={styles.head}>
      <h1 className={prose.title}>{title}</h1>
      {views && (
        <nav className={button.segments} aria-label={title}>
          {views.map(({ label, path }) => (
            <a
              key={path}
              href={path}
              aria-current={path === location.pathname ? 'page' : undefined}
            >
              {label}
            </a>
          ))}
        </nav>
      )}
      {summary && <p className={styles.summary}>{summary}</p>}
      {children && <div className={styles.end}>{children}</div>}
    </header>
  );
}
