import type { ReactNode } from 'react';
import prose from '../ui/prose.module.css';
import styles from './page-head.module.css';
import { useTitle } from './title.ts';

interface Props {
  title: string;
  /** One sentence beside the title. */
  says?: ReactNode;
  /** Beside the title: the page's own views. */
  views?: ReactNode;
  /** At the end of the line: what one does here. */
  children?: ReactNode;
}

export function PageHead({ title, says, views, children }: Props) {
  useTitle(title);
  return (
    <header className={styles.head}>
      <h1 className={prose.title}>{title}</h1>
      {views}
      {says && <p className={styles.says}>{says}</p>}
      {children && <div className={styles.end}>{children}</div>}
    </header>
  );
}
