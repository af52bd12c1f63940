import { useContent } from '../../content/context.ts';
import type { Testimonial } from '../../content/types.ts';
import { newTabNoteId } from '../../ui/booking-link.tsx';
import { Card } from '../../ui/card.tsx';
import { classes } from '../../ui/classes.ts';
import { Grid } from '../../ui/grid.tsx';
import { Section } from '../../ui/section.tsx';
import styles from './testimonials.module.css';

/** There once a client has said something that may be quoted. */
export function Testimonials() {
  const { home } = useContent().pages;
  if (!home.testimonials) return null;
  const { items, ...words } = home.testimonials;
  return (
    <Section {...words} heading="center" backgroundColor="dark-lighter">
      <Grid count={items.length} most={3}>
        {items.map((item, index) => (
          <Card key={item.quote} index={index % 3}>
            <figure className={styles.figure}>
              <blockquote className={classes(styles.quote, quoteSize(item.quote))}>
                {item.quote}
              </blockquote>
              <figcaption className={styles.by}>
                <span className={styles.name}>{item.name}</span>
                {item.role && <span>{item.role}</span>}
                <Source source={item.source} />
              </figcaption>
            </figure>
          </Card>
        ))}
      </Grid>
    </Section>
  );
}

/** A few words are set large, many small: cards side by side are filled alike. */
function quoteSize({ length }: string) {
  if (length <= 60) return styles.large;
  return length > 240 && styles.small;
}

function Source({ source: { label, url } }: Pick<Testimonial, 'source'>) {
  if (!url) return <cite className={styles.source}>{label}</cite>;
  return (
    <cite className={styles.source}>
      <a href={url} target="_blank" rel="noopener" aria-describedby={newTabNoteId}>
        {label}
      </a>
    </cite>
  );
}
