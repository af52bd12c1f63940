import { useContent } from '../../content/context.ts';
import { NewsletterIsland } from '../../sections/form-islands.tsx';
import { Kicker } from '../../ui/kicker.tsx';
import { Section } from '../../ui/section.tsx';
import { SectionTitle } from '../../ui/section-title.tsx';
import styles from './newsletter.module.css';

export function Newsletter() {
  const { blog } = useContent().pages;
  const { kicker, title, text } = blog.newsletter;
  return (
    <Section title={title} backgroundColor="dark-accent" spacing="md">
      <div className={styles.layout}>
        <div>
          <Kicker>{kicker}</Kicker>
          <SectionTitle className={styles.title} />
          <p className={styles.text}>{text}</p>
          <a className={styles.feed} href="/feed.xml" type="application/atom+xml">
            {blog.feed}
          </a>
        </div>
        <NewsletterIsland />
      </div>
    </Section>
  );
}
