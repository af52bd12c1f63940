import { Fragment, type ReactNode } from 'react';
import { Kicker } from '../ui/section.tsx';
import styles from './page-hero.module.css';

type PageHeroProps = { kicker: string; title: string; lead: string; children?: ReactNode };

/** The top of every page but the home page. */
export function PageHero({ kicker, title, lead, children }: PageHeroProps) {
  return (
    <div className={styles.hero}>
      <div className={`column ${styles.inner}`}>
        <div>
          <Kicker>{kicker}</Kicker>
          <h1 className={styles.title}>{unbroken(title)}</h1>
        </div>
        <div className={styles.side}>
          <p className={styles.lead}>{lead}</p>
          {children}
        </div>
      </div>
    </div>
  );
}

/** Words with a hyphen stay on one line: in large type a break would look like a mistake. */
const unbroken = (title: string) =>
  title.split(' ').map((word, at) => (
    <Fragment key={word}>
      {at > 0 && ' '}
      {word.includes('-') ? <span className={styles.whole}>{word}</span> : word}
    </Fragment>
  ));
