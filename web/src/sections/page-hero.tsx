import type { ReactNode } from 'react';
import { Kicker } from '../ui/kicker.tsx';
import styles from './page-hero.module.css';

type PageHeroProps = { kicker: string; title: string; lead: string; children?: ReactNode };

/** The top of every page but the home page. */
export function PageHero({ kicker, title, lead, children }: PageHeroProps) {
  return (
    <div className={styles.hero}>
      <div className={styles.inner}>
        <div>
          <Kicker>{kicker}</Kicker>
          <h1 className={styles.title}>{title}</h1>
        </div>
        <div className={styles.side}>
          <p className={styles.lead}>{lead}</p>
          {children}
        </div>
      </div>
    </div>
  );
}
