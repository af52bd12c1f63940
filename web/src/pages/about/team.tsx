import { useContent } from '../../content/context.ts';
import type { Person } from '../../content/types.ts';
import { Card } from '../../ui/card.tsx';
import { Grid } from '../../ui/grid.tsx';
import { Picture } from '../../ui/picture.tsx';
import { Section } from '../../ui/section.tsx';
import styles from './team.module.css';

/** There once the content names somebody. */
export function Team() {
  const { about } = useContent().pages;
  if (!about.team) return null;
  const { items, ...words } = about.team;
  return (
    <Section {...words} heading="split">
      <Grid count={items.length} most={4}>
        {items.map((person, index) => (
          <Card key={person.name} index={index % 4} className={styles.person}>
            <div className={styles.parts}>
              <Portrait person={person} />
              <div>
                <h3 className={styles.name}>{person.name}</h3>
                <p className={styles.role}>{person.role}</p>
                {person.text && <p className={styles.text}>{person.text}</p>}
              </div>
            </div>
          </Card>
        ))}
      </Grid>
    </Section>
  );
}

function Portrait({ person }: { person: Person }) {
  if (person.picture) return <Picture picture={person.picture} className={styles.portrait} />;
  return (
    <span className={styles.initials} aria-hidden="true">
      {initials(person.name)}
    </span>
  );
}

/** Of the first name and the last. */
function initials(name: string): string {
  const words = name.split(/\s+/);
  return [words[0], words.length > 1 ? words.at(-1) : '']
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toUpperCase();
}
