import { fadeInThreshold, stagger } from '../lib/reveal.ts';
import { classes } from '../ui/classes.ts';
import styles from './steps.module.css';

type Step = { label: string; title: string; text: string };

/** As many as stand side by side; more go down the page, one below the other. */
const most = 4;

export function Steps({ items }: { items: Step[] }) {
  return (
    <ol className={classes(styles.steps, items.length > most ? styles.long : styles.short)}>
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
  );
}
