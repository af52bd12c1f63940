import { useContext } from 'react';
import { fadeInThreshold } from '../lib/reveal.ts';
import { classes } from './classes.ts';
import styles from './heading.module.css';
import { Kicker } from './kicker.tsx';
import { SectionContext, SectionTitle } from './section-title.tsx';

/** `split`: title left, lead right. */
export type HeadingLayout = 'stack' | 'split' | 'center';

/** The head of the section around it: a small line, the title, a sentence or two. */
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
