import type { Closing } from '../content/types.ts';
import { sectionThreshold } from '../hooks/use-reveal.ts';
import { BookingLink } from '../ui/booking-link.tsx';
import { classes } from '../ui/classes.ts';
import styles from './closing-call.module.css';

type ClosingCallProps = {
  closing: Closing;
  /** `field`: the full violet close of a page; `panel`: within another text. */
  layout?: 'field' | 'panel';
  level?: 'h2' | 'h3';
};

/** A call to action on the violet field. */
export function ClosingCall({ closing, layout = 'field', level: Title = 'h2' }: ClosingCallProps) {
  return (
    <section
      className={classes(styles.close, styles[layout])}
      data-screen-only
      data-fade={sectionThreshold}
    >
      <div className={styles.surface}>
        <Title className={styles.title}>{closing.title}</Title>
        <p className={styles.text}>{closing.text}</p>
        <BookingLink label={closing.booking} variant="light" />
      </div>
    </section>
  );
}
