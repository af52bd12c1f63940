import { useContent } from '../../content/context.ts';
import { fadeInThreshold } from '../../lib/reveal.ts';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/section.tsx';
import styles from './values.module.css';

/** Three wide rows, read like a statement rather than a grid. */
export function Values() {
  const { about } = useContent().pages;
  if (!about.values) return null;
  const { items, ...words } = about.values;
  return (
    <Section {...words} heading="split">
      <ul className={styles.rows}>
        {items.map((value) => (
          <li key={value.title} className={styles.row} data-fade={fadeInThreshold}>
            <span className={styles.icon}>
              <Icon path={value.icon} size={28} />
            </span>
            <h3 className={styles.title}>{value.title}</h3>
            <p className={styles.text}>{value.text}</p>
          </li>
        ))}
      </ul>
    </Section>
  );
}
