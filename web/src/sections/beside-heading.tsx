import type { ReactNode } from 'react';
import { Heading } from '../ui/heading.tsx';
import styles from './beside-heading.module.css';

/** The section's heading stays in view on the left while the content passes by on the right. */
export function BesideHeading({ children }: { children: ReactNode }) {
  return (
    <div className={styles.layout}>
      <div className={styles.aside}>
        <Heading />
      </div>
      {children}
    </div>
  );
}
