import type { PageContent } from '../content/types.ts';
import { fadeInThreshold, stagger } from '../lib/reveal-timing.ts';
import { Section } from '../ui/section.tsx';
import styles from './steps.module.css';

/** So many fit side by side; more are one below the other. */
const most = 4;

export function Steps({ steps }: { steps: PageContent['home']['steps'] }) {
  if (!steps) return null;
  const { items, ...words } = steps;
  return (
    <Section {...words} heading="split" backgroundColor="dark-lighter">
      <ol className={items.length > most ? styles.long : styles.short}>
        {items.map((step, index) => (
          <li
            key={step.title}
            className={styles.step}
            data-fade={fadeInThreshold}
            data-delay={(index % most) * stagger || undefined}
          >
            <div>
              <p className={styles.label}>{step.label}</p>
              <h3 className={styles.title}>{step.title}</h3>
            </div>
            <p>{step.text}</p>
          </li>
        ))}
      </ol>
    </Section>
  );
}
