import { useContent } from '../../content/context.ts';
import type { Picture as PictureData } from '../../content/types.ts';
import { newTabNoteId } from '../../ui/booking-link.tsx';
import { Picture } from '../../ui/picture.tsx';
import { Section } from '../../ui/section.tsx';
import { SectionTitle } from '../../ui/section-title.tsx';
import styles from './logos.module.css';

/** There once the content names marks that may be shown. */
export function Logos() {
  const { home } = useContent().pages;
  if (!home.logos) return null;
  const { title, items } = home.logos;
  return (
    <Section title={title} spacing="sm">
      <SectionTitle className={styles.title} />
      <ul className={styles.logos}>
        {items.map(({ picture, url }) => (
          <li key={picture.alt}>
            {url ? (
              <a href={url} target="_blank" rel="noopener" aria-describedby={newTabNoteId}>
                <Picture picture={picture} className={shape(picture)} />
              </a>
            ) : (
              <Picture picture={picture} className={shape(picture)} />
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** At one height a round mark looks small beside a long name. */
const shape = ({ width, height }: PictureData) =>
  width / height < 1.6 ? styles.compact : styles.wordmark;
