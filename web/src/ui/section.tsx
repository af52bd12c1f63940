import { createContext, type ReactNode, useContext, useId } from 'react';
import { fadeInThreshold, sectionThreshold } from '../lib/reveal-timing.ts';
import { classes } from './classes.ts';
import styles from './section.module.css';

type SectionWords = {
  kicker?: string | undefined;
  title?: string | undefined;
  /** The subtitle: a sentence or two. */
  lead?: string | undefined;
};

/** `split`: title left, lead right. */
type HeadingLayout = 'stack' | 'split' | 'center';

/** A section is labelled by its title. Without `heading`, a `Heading` or `SectionTitle` inside shows it. */
export type SectionProps = SectionWords & {
  id?: string;
  /** `beside`: it stays in view on the left while the content scrolls on the right. */
  heading?: HeadingLayout | 'beside';
  backgroundColor?: 'dark' | 'dark-lighter' | 'dark-accent' | 'primary';
  spacing?: 'sm' | 'md' | 'lg' | 'xl';
  containerType?: 'default' | 'narrow' | 'wide' | 'full';
  /** Milliseconds to wait before it fades in. */
  delay?: number;
  screenOnly?: boolean;
  children?: ReactNode;
};

const SectionContext = createContext<SectionWords & { titleId?: string }>({});

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
        className={classes('column', containerType !== 'default' && styles[containerType])}
        data-fade={sectionThreshold}
        data-delay={delay}
      >
        <SectionContext value={{ kicker, title, lead, titleId }}>
          {heading === 'beside' ? (
            <div className={styles.beside}>
              <div className={styles.aside}>
                <Heading />
              </div>
              {children}
            </div>
          ) : (
            <>
              {heading && <Heading layout={heading} />}
              {children}
            </>
          )}
        </SectionContext>
      </div>
    </section>
  );
}

/** The head of its section: a small line, the title, a sentence or two. */
export function Heading({ layout = 'stack' }: { layout?: HeadingLayout }) {
  const { kicker, lead } = useContext(SectionContext);
  return (
    <div
      className={classes(styles.heading, layout !== 'stack' && styles[layout])}
      data-fade={fadeInThreshold}
    >
      <div>
        {kicker && <Kicker>{kicker}</Kicker>}
        <SectionTitle />
      </div>
      {lead && <p className={styles.lead}>{lead}</p>}
    </div>
  );
}

/** The title of its section. */
export function SectionTitle({ className }: { className?: string | undefined }) {
  const { title, titleId } = useContext(SectionContext);
  return (
    <h2 id={titleId} className={className}>
      {title}
    </h2>
  );
}

export function Kicker({ children }: { children: ReactNode }) {
  return <p className={styles.kicker}>{children}</p>;
}
