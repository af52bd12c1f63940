import { type ReactNode, useId } from 'react';
import { useLayoutWhenIdle } from '../hooks/use-layout-when-idle.ts';
import { sectionThreshold } from '../hooks/use-reveal.ts';
import { classes } from './classes.ts';
import { Heading } from './heading.tsx';
import styles from './section.module.css';

export type SectionProps = {
  id?: string;
  title?: string;
  subtitle?: string;
  backgroundColor?: 'dark' | 'dark-lighter' | 'dark-accent' | 'primary';
  spacing?: 'sm' | 'md' | 'lg' | 'xl';
  containerType?: 'default' | 'narrow' | 'wide' | 'full';
  /** Milliseconds to wait before it fades in. */
  delay?: number;
  children?: ReactNode;
};

export function Section({
  id,
  title,
  subtitle,
  backgroundColor = 'dark',
  spacing = 'lg',
  containerType = 'default',
  delay = 0,
  children,
}: SectionProps) {
  const section = useLayoutWhenIdle<HTMLElement>();
  const titleId = useId();
  return (
    <section
      ref={section}
      id={id}
      aria-labelledby={title ? titleId : undefined}
      className={classes(styles.section, styles[backgroundColor], styles[spacing])}
    >
      <div
        className={classes(styles.container, styles[containerType])}
        data-fade={sectionThreshold}
        data-delay={delay}
      >
        {title && <Heading id={titleId} title={title} lead={subtitle} />}
        {children}
      </div>
    </section>
  );
}
