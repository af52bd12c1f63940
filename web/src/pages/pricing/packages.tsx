import pricing from 'content:pricing';
import { Section } from '../../ui/section.tsx';
import { PackageCard } from './package-card.tsx';
import styles from './packages.module.css';

export function Packages({ error }: { error: string | undefined }) {
  return (
    <Section spacing="sm" containerType="wide">
      {error && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
      <div className={styles.grid}>
        {pricing.packages.map((entry, index) => (
          <PackageCard key={entry.id} entry={entry} index={index} />
        ))}
      </div>
      <aside className={styles.retainers}>
        <h2 className={styles.title}>{pricing.retainers.title}</h2>
        <p>{pricing.retainers.text}</p>
      </aside>
    </Section>
  );
}
