import { useContent } from '../../content/context.ts';
import { fadeInThreshold } from '../../lib/reveal.ts';
import { classes } from '../../ui/classes.ts';
import { Heading } from '../../ui/heading.tsx';
import { Picture } from '../../ui/picture.tsx';
import { Section } from '../../ui/section.tsx';
import styles from './showcase.module.css';

export function Showcase() {
  const { home } = useContent().pages;
  if (!home.showcase) return null;
  const { label, picture, points, ...words } = home.showcase;
  return (
    <Section {...words} backgroundColor="dark-accent" containerType="wide">
      <div className={styles.layout}>
        <figure
          className={classes(styles.figure, points.length > 5 && styles.beside)}
          data-fade={fadeInThreshold}
        >
          <Picture picture={picture} framed />
          <figcaption className={styles.label}>{label}</figcaption>
        </figure>
        <div>
          <Heading />
          <ol className={styles.points}>
            {points.map((point) => (
              <li key={point.title} data-fade={fadeInThreshold}>
                <h3 className={styles.title}>{point.title}</h3>
                <p>{point.text}</p>
              </li>
            ))}
          </ol>
        </div>
      </div>
    </Section>
  );
}
