import about from 'content:about';
import { PointCard } from '../../sections/point-card.tsx';
import { Heading } from '../../ui/heading.tsx';
import { Section } from '../../ui/section.tsx';
import styles from './why-choose-us.module.css';

export function WhyChooseUs() {
  const { items, ...heading } = about.why;
  return (
    <Section backgroundColor="dark-accent">
      <Heading {...heading} layout="center" />
      <div className={styles.grid}>
        {items.map((point, index) => (
          <PointCard key={point.title} point={point} index={index % 3} />
        ))}
      </div>
    </Section>
  );
}
