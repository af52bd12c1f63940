import { useContent } from '../../content/context.ts';
import type { Content } from '../../content/types.ts';
import { pageHead } from '../../lib/head.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Grid } from '../../ui/grid.tsx';
import { Icon } from '../../ui/icon.tsx';
import styles from './page.module.css';

export function Page() {
  const { 'checkout-success': words } = useContent().pages;
  return (
    <div className={`column ${styles.page}`}>
      <span className={styles.seal}>
        <Icon name="check" size={36} />
      </span>
      <h1 className={styles.title}>{words.title}</h1>
      <p className={styles.text}>{words.text}</p>
      <h2 className={styles.next}>{words.next_title}</h2>
      <Grid as="ol" count={words.steps.length} most={3} className={styles.steps}>
        {words.steps.map((step) => (
          <li key={step.title}>
            <h3>{step.title}</h3>
            <p>{step.text}</p>
          </li>
        ))}
      </Grid>
      <ButtonLink href="/">{words.back}</ButtonLink>
    </div>
  );
}

export function meta({ site, pages }: Content) {
  const { head, title, next_title } = pages['checkout-success'];
  return pageHead(site, head, { title, kicker: next_title });
}
