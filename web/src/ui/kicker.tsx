import type { ReactNode } from 'react';
import styles from './kicker.module.css';

/** The small violet line above a title. */
export function Kicker({ children }: { children: ReactNode }) {
  return <p className={styles.kicker}>{children}</p>;
}
