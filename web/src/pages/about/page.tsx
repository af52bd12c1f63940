import { useContent } from '../../content/context.ts';
import type { Content } from '../../content/types.ts';
import { pageHead } from '../../lib/head.ts';
import { fadeInThreshold } from '../../lib/reveal-timing.ts';
import { organization } from '../../lib/structured-data.ts';
import { ClosingCall } from '../../sections/closing-call.tsx';
import { PageHero } from '../../sections/page-hero.tsx';
import { Points } from '../../sections/points.tsx';
import { Card } from '../../ui/card.tsx';
import { classes } from '../../ui/classes.ts';
import { Grid } from '../../ui/grid.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Picture } from '../../ui/picture.tsx';
import { Kicker, Section, SectionTitle } from '../../ui/section.tsx';
import styles from './page.module.css';

export function Page() {
  const { about } = useContent().pages;
  return (
    <>
      <PageHero {...about.hero} />
      <Mission />
      <Values />
      <Points points={about.why} most={3} heading="center" backgroundColor="dark-accent" />
      <Team />
      {about.closing && <ClosingCall closing={about.closing} />}
    </>
  );
}

/** A picture beside the words, or else the title. */
function Mission() {
  const { about } = useContent().pages;
  const { mission } = about;
  if (!mission) return null;
  const text = (
    <div className={styles.missionText}>
      {mission.paragraphs.map((paragraph) => (
        <p key={paragraph}>{paragraph}</p>
      ))}
    </div>
  );
  return (
    <Section title={mission.title} backgroundColor="dark-lighter">
      <div className={classes(styles.layout, !mission.picture && styles.plain)}>
        {mission.picture && <Picture picture={mission.picture} eager framed />}
        <div>
          <Kicker>{mission.kicker}</Kicker>
          <SectionTitle />
          {mission.picture && text}
        </div>
        {!mission.picture && text}
      </div>
    </Section>
  );
}

/** Wide rows, read like a statement rather than a grid. */
function Values() {
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
            <h3 className={styles.valuesTitle}>{value.title}</h3>
            <p className={styles.valuesText}>{value.text}</p>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Team() {
  const { about } = useContent().pages;
  if (!about.team) return null;
  const { items, ...words } = about.team;
  return (
    <Section {...words} heading="split">
      <Grid count={items.length} most={4}>
        {items.map((person, index) => (
          <Card key={person.name} index={index % 4} className={styles.person}>
            <div className={styles.parts}>
              {person.picture ? (
                <Picture picture={person.picture} className={styles.portrait} />
              ) : (
                <span className={styles.initials} aria-hidden="true">
                  {initials(person.name)}
                </span>
              )}
              <div>
                <h3 className={styles.name}>{person.name}</h3>
                <p className={styles.role}>{person.role}</p>
                {person.text && <p className={styles.teamText}>{person.text}</p>}
              </div>
            </div>
          </Card>
        ))}
      </Grid>
    </Section>
  );
}

function initials(name: string): string {
  const words = name.split(/\s+/);
  return [words[0], words.length > 1 ? words.at(-1) : '']
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toUpperCase();
}

export const meta = ({ site, pages: { about } }: Content) =>
  pageHead(site, about.head, about.hero, organization(site));
