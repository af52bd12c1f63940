import { useContent } from '../../content/context.ts';
import { Grid } from '../../ui/grid.tsx';
import { Section } from '../../ui/section.tsx';
import { PackageCard } from './package-card.tsx';
import styles from './packages.module.css';

export function Packages({ error }: { error: string | undefined }) {
  const { pricing } = useContent().pages;
  const { packages, retainers } = pricing;
  return (
    <Section spacing="sm" containerType="wide">
      {error && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
      <Grid count={packages.length} most={4} className={styles.packages}>
        {packages.map((entry, index) => (
          <PackageCard key={entry.id} entry={entry} index={index % 4} />
        ))}
      </Grid>
      {retainers && (
        <aside className={styles.retainers}>
          <h2 className={styles.title}>{retainers.title}</h2>
          <p>{retainers.text}</p>
        </aside>
      )}
    </Section>
  );
}
