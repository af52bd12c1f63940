import about from 'content:about';
import { PointCard } from '../../sections/point-card.tsx';
import { Section } from '../../ui/section.tsx';
import styles from './why-choose-us.module.css';

export function WhyChooseUs() {
  const { items, ...words } = about.why;
  return (
    <Section {...words} heading="center" backgroundColor="dark-accent">
      <div className={styles.grid}>
        {items.map((point, index) => (
          <PointCard key={point.title} point={point} index={index % 3} />
        ))}
      </div>
    </Section>
  );
}
