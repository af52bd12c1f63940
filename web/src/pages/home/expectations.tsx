import home from 'content:home';
import { BesideHeading } from '../../sections/beside-heading.tsx';
import { PointCard } from '../../sections/point-card.tsx';
import { Section } from '../../ui/section.tsx';
import styles from './expectations.module.css';

export function Expectations() {
  const { items, ...words } = home.expectations;
  return (
    <Section {...words}>
      <BesideHeading>
        <div className={styles.cards}>
          {items.map((point, index) => (
            <PointCard key={point.title} point={point} index={index % 2} />
          ))}
        </div>
      </BesideHeading>
    </Section>
  );
}
