import { useContent } from '../../content/context.ts';
import type { CaseStudy } from '../../content/types.ts';
import { newTabNoteId } from '../../ui/booking-link.tsx';
import { Card, CardWords } from '../../ui/card.tsx';
import { Grid } from '../../ui/grid.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Kicker } from '../../ui/kicker.tsx';
import { Picture } from '../../ui/picture.tsx';
import { Section } from '../../ui/section.tsx';
import styles from './cases.module.css';

/** There once there is work that may be shown. */
export function Cases() {
  const { services: words } = useContent().pages;
  if (!words.cases) return null;
  const { items, ...head } = words.cases;
  const hasPictures = items.some(({ picture }) => picture);
  return (
    <Section {...head} heading="split" backgroundColor="dark-accent">
      <Grid count={items.length} most={3}>
        {items.map((item, index) => (
          <Card key={item.title} padding="none" index={index % 3} className={styles.card}>
            {item.picture ? (
              <Picture picture={item.picture} className={styles.picture} />
            ) : (
              hasPictures && <div className={styles.ground} />
            )}
            <CardWords className={styles.words}>
              <Kicker>{item.client}</Kicker>
              <h3 className={styles.title}>{item.title}</h3>
              <p className={styles.text}>{item.text}</p>
              {item.results && <Results results={item.results} />}
              {item.link && (
                <a
                  className={styles.link}
                  href={item.link.url}
                  target="_blank"
                  rel="noopener"
                  aria-describedby={newTabNoteId}
                >
                  {item.link.label}
                  <Icon name="arrow-up-right" size={18} />
                </a>
              )}
            </CardWords>
          </Card>
        ))}
      </Grid>
    </Section>
  );
}

const Results = ({ results }: { results: NonNullable<CaseStudy['results']> }) => (
  <ul className={styles.results}>
    {results.map((result) => (
      <li key={result}>
        <Icon name="check" size={18} />
        {result}
      </li>
    ))}
  </ul>
);
