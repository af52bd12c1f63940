import blog from 'content:blog';
import { NewsletterForm } from '../../sections/newsletter-form.tsx';
import { Island } from '../../ui/island.tsx';
import { Kicker } from '../../ui/kicker.tsx';
import { Section } from '../../ui/section.tsx';
import { SectionTitle } from '../../ui/section-title.tsx';
import styles from './newsletter.module.css';

export function Newsletter() {
  const { kicker, title, text, consent_version, ...words } = blog.newsletter;
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
        <Island
          name="newsletter-form"
          wake="touch"
          component={NewsletterForm}
          words={words}
          props={{ consentVersion: consent_version }}
        />
      </div>
    </Section>
  );
}
