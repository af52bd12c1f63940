import pricing from 'content:pricing';
import { fadeInThreshold, stagger } from '../../lib/reveal.ts';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/section.tsx';
import styles from './why-choose.module.css';

export function WhyChoose() {
  const { items, ...words } = pricing.why;
  return (
    <Section {...words} heading="split" backgroundColor="dark-lighter">
      <ul className={styles.points}>
        {items.map((point, index) => (
          <li key={point.title} data-fade={fadeInThreshold} data-delay={index * stagger}>
            <Icon path={point.icon} size={26} />
            <h3 className={styles.title}>{point.title}</h3>
            <p>{point.text}</p>
          </li>
        ))}
      </ul>
    </Section>
  );
}
