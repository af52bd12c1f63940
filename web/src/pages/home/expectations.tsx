import home from 'content:home';
import { PointCard } from '../../sections/point-card.tsx';
import { Heading } from '../../ui/heading.tsx';
import { Section } from '../../ui/section.tsx';
import styles from './expectations.module.css';

/** Title left and staying in view, cards passing by on the right. */
export function Expectations() {
  const { items, ...heading } = home.expectations;
  return (
    <Section>
      <div className={styles.layout}>
        <div className={styles.aside}>
          <Heading {...heading} />
        </div>
        <div className={styles.cards}>
          {items.map((point, index) => (
            <PointCard key={point.title} point={point} index={index % 2} />
          ))}
        </div>
      </div>
    </Section>
  );
}
