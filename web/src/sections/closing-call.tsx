import type { Closing } from '../content/types.ts';
import { sectionThreshold } from '../lib/reveal-timing.ts';
import { BookingLink } from '../ui/contact-links.tsx';
import { Section, SectionTitle } from '../ui/section.tsx';
import styles from './closing-call.module.css';

export function ClosingCall({ closing }: { closing: Closing }) {
  return (
    <Section title={closing.title} backgroundColor="primary" screenOnly>
      <div className={styles.field}>
        <SectionTitle className={styles.title} />
        <Call closing={closing} />
      </div>
    </Section>
  );
}

/** The same within a text. */
export function ClosingPanel({ closing }: { closing: Closing }) {
  return (
    <div className={styles.panel} data-screen-only data-part="call" data-fade={sectionThreshold}>
      <h2 className={styles.title}>{closing.title}</h2>
      <Call closing={closing} />
    </div>
  );
}

function Call({ closing }: { closing: Closing }) {
  return (
    <>
      <p className={styles.text}>{closing.text}</p>
      <BookingLink label={closing.booking} variant="light" />
    </>
  );
}
