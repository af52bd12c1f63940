import { fadeInThreshold } from '../hooks/use-reveal.ts';
import { classes } from './classes.ts';
import styles from './heading.module.css';
import { Kicker } from './kicker.tsx';

type HeadingProps = {
  id?: string;
  kicker?: string;
  title: string;
  lead?: string | undefined;
  /** `split`: title left, lead right. */
  layout?: 'stack' | 'split' | 'center';
};

/** The head of a section: a small line, the title, a sentence or two. */
export function Heading({ id, kicker, title, lead, layout = 'stack' }: HeadingProps) {
  return (
    <div
      className={classes(styles.heading, layout !== 'stack' && styles[layout])}
      data-fade={fadeInThreshold}
    >
      <div>
        {kicker && <Kicker>{kicker}</Kicker>}
        <h2 id={id}>{title}</h2>
      </div>
      {lead && <p className={styles.lead}>{lead}</p>}
    </div>
  );
}
