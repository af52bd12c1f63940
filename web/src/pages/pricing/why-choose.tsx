import pricing from 'content:pricing';
import { fadeInThreshold, stagger } from '../../hooks/use-reveal.ts';
import { Heading } from '../../ui/heading.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/section.tsx';
import styles from './why-choose.module.css';

export function WhyChoose() {
  const { items, ...heading } = pricing.why;
  return (
    <Section backgroundColor="dark-lighter">
      <Heading {...heading} layout="split" />
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
