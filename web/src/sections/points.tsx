import type { PageContent, Point } from '../content/types.ts';
import { Card } from '../ui/card.tsx';
import { Grid } from '../ui/grid.tsx';
import { Icon } from '../ui/icon.tsx';
import { Section, type SectionProps } from '../ui/section.tsx';
import styles from './points.module.css';

type PointsProps = Pick<SectionProps, 'heading' | 'backgroundColor'> & {
  points: PageContent['home']['expectations'];
  /** How many fit side by side on a wide screen. */
  most: 2 | 3;
};

export function Points({ points, most, ...look }: PointsProps) {
  if (!points) return null;
  const { items, ...words } = points;
  return (
    <Section {...words} {...look}>
      <Grid count={items.length} most={most}>
        {items.map((point, index) => (
          <PointCard key={point.title} point={point} index={index % most} />
        ))}
      </Grid>
    </Section>
  );
}

/** Such as 3-5 days. */
const range = /(\d+-\d+)/;

function PointCard({ point, index }: { point: Point; index: number }) {
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
