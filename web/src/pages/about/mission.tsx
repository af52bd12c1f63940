import about from 'content:about';
import { Kicker } from '../../ui/kicker.tsx';
import { Picture } from '../../ui/picture.tsx';
import { Section } from '../../ui/section.tsx';
import { SectionTitle } from '../../ui/section-title.tsx';
import styles from './mission.module.css';

export function Mission() {
  const { mission } = about;
  if (!mission) return null;
  return (
    <Section title={mission.title} backgroundColor="dark-lighter">
      <div className={mission.picture && styles.layout}>
        {mission.picture && (
          <Picture picture={mission.picture} eager fades framed className={styles.picture} />
        )}
        <div>
          <Kicker>{mission.kicker}</Kicker>
          <SectionTitle className={styles.title} />
          <div className={styles.text}>
            {mission.paragraphs.map((paragraph) => (
              <p key={paragraph}>{paragraph}</p>
            ))}
          </div>
        </div>
      </div>
    </Section>
  );
}
