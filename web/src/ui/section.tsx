import { type ReactNode, useId } from 'react';
import { sectionThreshold } from '../lib/reveal.ts';
import { classes } from './classes.ts';
import { Heading, type HeadingLayout } from './heading.tsx';
import styles from './section.module.css';
import { SectionContext, type SectionWords } from './section-title.tsx';

/**
 * A section with a title is labelled by it. `heading` sets the title on top;
 * without it a `Heading` or a `SectionTitle` stands somewhere inside.
 */
export type SectionProps = SectionWords & {
  id?: string;
  heading?: HeadingLayout;
  backgroundColor?: 'dark' | 'dark-lighter' | 'dark-accent' | 'primary';
  spacing?: 'sm' | 'md' | 'lg' | 'xl';
  containerType?: 'default' | 'narrow' | 'wide' | 'full';
  /** Milliseconds to wait before it fades in. */
  delay?: number;
  screenOnly?: boolean;
  children?: ReactNode;
};

export function Section({
  id,
  kicker,
  title,
  lead,
  heading,
  backgroundColor = 'dark',
  spacing = 'lg',
  containerType = 'default',
  delay,
  screenOnly,
  children,
}: SectionProps) {
  const titleId = useId();
  return (
    <section
      id={id}
      aria-labelledby={title && titleId}
      className={classes(styles.section, styles[backgroundColor], styles[spacing])}
      data-screen-only={screenOnly}
    >
      <div
        className={classes(styles.container, styles[containerType])}
        data-fade={sectionThreshold}
        data-delay={delay}
      >
        <SectionContext value={{ kicker, title, lead, titleId }}>
          {heading && <Heading layout={heading} />}
          {children}
        </SectionContext>
      </div>
    </section>
  );
}
