import { useContent } from '../../content/context.ts';
import { classes } from '../../ui/classes.ts';
import { Kicker } from '../../ui/kicker.tsx';
import { Picture } from '../../ui/picture.tsx';
import { Section } from '../../ui/section.tsx';
import { SectionTitle } from '../../ui/section-title.tsx';
import styles from './mission.module.css';

/** A picture beside the words; without one, the title stands there. */
export function Mission() {
  const { about } = useContent().pages;
  const { mission } = about;
  if (!mission) return null;
  const text = (
    <div className={styles.text}>
      {mission.paragraphs.map((paragraph) => (
        <p key={paragraph}>{paragraph}</p>
      ))}
    </div>
  );
  return (
    <Section title={mission.title} backgroundColor="dark-lighter">
      <div className={classes(styles.layout, !mission.picture && styles.plain)}>
        {mission.picture && (
          <Picture picture={mission.picture} eager fades framed className={styles.picture} />
        )}
        <div>
          <Kicker>{mission.kicker}</Kicker>
          <SectionTitle className={styles.title} />
          {mission.picture && text}
        </div>
        {!mission.picture && text}
      </div>
    </Section>
  );
}
