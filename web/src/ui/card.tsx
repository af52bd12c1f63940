import type { ReactNode } from 'react';
import { sectionThreshold, useReveal } from '../hooks/use-reveal.ts';
import styles from './card.module.css';
import { classes } from './classes.ts';

export type CardProps = {
  padding?: 'none' | 'sm' | 'md' | 'lg';
  shadow?: 'none' | 'soft' | 'glow';
  borderRadius?: 'md' | 'lg' | 'xl';
  border?: boolean;
  hoverEffect?: 'none' | 'lift' | 'glow';
  /** Its place among its neighbours: each starts a little after the one before. */
  index?: number;
  className?: string | undefined;
  children: ReactNode;
};

const stagger = 80;

export function Card({
  padding = 'md',
  shadow = 'none',
  borderRadius = 'lg',
  border = true,
  hoverEffect = 'none',
  index = 0,
  className,
  children,
}: CardProps) {
  const reveal = useReveal<HTMLElement>(sectionThreshold, index * stagger);
  return (
    <article
      ref={reveal}
      className={classes(
        styles.card,
        styles[`padding-${padding}`],
        shadow !== 'none' && styles[`shadow-${shadow}`],
        styles[`radius-${borderRadius}`],
        border && styles.border,
        hoverEffect !== 'none' && styles[`hover-${hoverEffect}`],
        className,
      )}
    >
      {children}
    </article>
  );
}
