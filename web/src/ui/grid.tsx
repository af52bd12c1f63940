import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import styles from './grid.module.css';

type GridProps = {
  count: number;
  /** How many fit side by side on a wide screen. */
  most: 2 | 3 | 4;
  as?: 'div' | 'ul' | 'ol';
  className?: string | undefined;
  children: ReactNode;
};

/** Any number of like things in balanced rows: none ends in a single narrow one. */
export function Grid({ count, most, as: Element = 'div', className, children }: GridProps) {
  const columns = columnsFor(count, most);
  return (
    <Element
      className={classes(
        styles.grid,
        count % 2 === 1 && styles.odd,
        columns === 3 && styles.three,
        columns === 3 && count % 3 > 0 && styles.restOfThree,
        columns === 4 && styles.four,
        columns === 4 && count % 4 > 0 && styles.restOfFour,
        className,
      )}
    >
      {children}
    </Element>
  );
}

/** Four in rows of three, or five or nine in rows of four, would leave one alone. */
export function columnsFor(count: number, most: GridProps['most']): number {
  if (count <= most) return count;
  if (most === 4 && [5, 6, 9].includes(count)) return 3;
  return most === 3 && count === 4 ? 2 : most;
}
