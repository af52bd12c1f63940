import type { AnchorHTMLAttributes, ReactNode } from 'react';
import { sectionThreshold, stagger } from '../lib/reveal-timing.ts';
import styles from './card.module.css';
import { classes } from './classes.ts';

export type CardProps = {
  padding?: 'none' | 'md' | 'lg';
  shadow?: 'none' | 'glow';
  /** Only for cards that lead somewhere. */
  hoverEffect?: 'none' | 'lift';
  /** Its place in the row: each card starts a little after the one before. */
  index?: number;
  className?: string | undefined;
  children: ReactNode;
};

export function Card({
  padding = 'md',
  shadow = 'none',
  hoverEffect = 'none',
  index = 0,
  className,
  children,
}: CardProps) {
  return (
    <article
      className={classes(
        styles.card,
        padding !== 'none' && styles[`padding-${padding}`],
        shadow !== 'none' && styles[`shadow-${shadow}`],
        hoverEffect !== 'none' && styles[`hover-${hoverEffect}`],
        className,
      )}
      data-fade={sectionThreshold}
      data-delay={index * stagger || undefined}
    >
      {children}
    </article>
  );
}

/** The words of a card whose picture reaches its edges. */
export function CardWords({ className, children }: Pick<CardProps, 'className' | 'children'>) {
  return <div className={classes(styles.words, styles['padding-md'], className)}>{children}</div>;
}

type CardLinkProps = AnchorHTMLAttributes<HTMLAnchorElement> & { href: string };

/** The only link of a card; a click anywhere on the card follows it. */
export function CardLink({ className, ...link }: CardLinkProps) {
  return <a {...link} className={classes(styles.link, className)} />;
}
