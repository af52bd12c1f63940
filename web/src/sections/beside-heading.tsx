import type { ReactNode } from 'react';
import { Heading } from '../ui/heading.tsx';
import styles from './beside-heading.module.css';

type BesideHeadingProps = { kicker: string; title: string; lead: string; children: ReactNode };

/** The heading stays in view on the left while the content passes by on the right. */
export function BesideHeading({ children, ...heading }: BesideHeadingProps) {
  return (
    <div className={styles.layout}>
      <div className={styles.aside}>
        <Heading {...heading} />
      </div>
      {children}
    </div>
  );
}
