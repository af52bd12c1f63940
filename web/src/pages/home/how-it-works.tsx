import home from 'content:home';
import { fadeInThreshold, stagger } from '../../lib/reveal.ts';
import { Section } from '../../ui/section.tsx';
import styles from './how-it-works.module.css';

export function HowItWorks() {
  const { items, ...words } = home.steps;
  return (
    <Section {...words} heading="split" backgroundColor="dark-lighter">
      <ol className={styles.steps}>
        {items.map((step, index) => (
          <li
            key={step.title}
            className={styles.step}
            data-fade={fadeInThreshold}
            data-delay={index * stagger}
          >
            <p className={styles.label}>{step.label}</p>
            <h3 className={styles.title}>{step.title}</h3>
            <p>{step.text}</p>
          </li>
        ))}
      </ol>
    </Section>
  );
}
