import { useContent } from '../../content/context.ts';
import type { Package } from '../../content/types.ts';
import { BookingLink } from '../../ui/booking-link.tsx';
import { Card } from '../../ui/card.tsx';
import { Icon } from '../../ui/icon.tsx';
import styles from './package-card.module.css';

export function PackageCard({ entry, index }: { entry: Package; index: number }) {
  const { pricing } = useContent().pages;
  return (
    <Card shadow={entry.badge ? 'glow' : 'none'} index={index}>
      <div className={styles.top}>
        <span className={styles.icon}>
          <Icon path={entry.icon} size={26} />
        </span>
        {entry.badge && <span className={styles.badge}>{entry.badge}</span>}
      </div>
      <h2 className={styles.name}>{entry.name}</h2>
      <p className={styles.subtitle}>{entry.subtitle}</p>
      <p className={styles.description}>{entry.description}</p>
      <h3 className={styles.includes}>{pricing.includes}</h3>
      <ul className={styles.features}>
        {entry.features.map((feature) => (
          <li key={feature}>
            <Icon name="check" size={18} />
            {feature}
          </li>
        ))}
      </ul>
      <div className={styles.end}>
        {entry.price ? (
          <p className={styles.price}>{entry.price}</p>
        ) : (
          <p className={styles.quote}>{pricing.quote}</p>
        )}
        <BookingLink label={pricing.booking} variant={entry.badge ? 'primary' : 'ghost'} wide />
      </div>
    </Card>
  );
}
