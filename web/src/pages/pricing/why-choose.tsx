import { useContent } from '../../content/context.ts';
import { fadeInThreshold, stagger } from '../../lib/reveal.ts';
import { classes } from '../../ui/classes.ts';
import { Grid } from '../../ui/grid.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/section.tsx';
import styles from './why-choose.module.css';

export function WhyChoose() {
  const { pricing } = useContent().pages;
  if (!pricing.why) return null;
  const { items, ...words } = pricing.why;
  return (
    <Section {...words} heading="split" backgroundColor="dark-lighter">
      <Grid
        as="ul"
        count={items.length}
        most={3}
        className={classes(styles.points, items.length > 3 && styles.rows)}
      >
        {items.map((point, index) => (
          <li
            key={point.title}
            data-fade={fadeInThreshold}
            data-delay={(index % 3) * stagger || undefined}
          >
            <Icon path={point.icon} size={26} />
            <div>
              <h3 className={styles.title}>{point.title}</h3>
              <p>{point.text}</p>
            </div>
          </li>
        ))}
      </Grid>
    </Section>
  );
}
