import type { Point } from '../content/types.ts';
import { Card } from '../ui/card.tsx';
import { Icon } from '../ui/icon.tsx';
import styles from './point-card.module.css';

/** Such as the days from 3 to 5. */
const range = /(\d+-\d+)/;

export function PointCard({ point, index }: { point: Point; index: number }) {
  return (
    <Card index={index}>
      <span className={styles.icon}>
        <Icon path={point.icon} size={24} />
      </span>
      <h3 className={styles.title}>{point.title}</h3>
      <p className={styles.text}>
        {point.text.split(range).map((part) =>
          range.test(part) ? (
            <span key={part} className={styles.range}>
              {part}
            </span>
          ) : (
            part
          ),
        )}
      </p>
    </Card>
  );
}
