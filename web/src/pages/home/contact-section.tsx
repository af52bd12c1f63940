import home from 'content:home';
import { ContactIsland } from '../../sections/contact-island.tsx';
import { Card } from '../../ui/card.tsx';
import { ContactFact } from '../../ui/contact-fact.tsx';
import { Heading } from '../../ui/heading.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/section.tsx';
import styles from './contact-section.module.css';

export function ContactSection() {
  return (
    <Section {...home.contact} id="contact">
      <div className={styles.layout}>
        <div>
          <Heading />
          <ul className={styles.ways}>
            <li>
              <Icon name="mail" />
              <ContactFact kind="email" />
            </li>
            <li>
              <Icon name="phone" />
              <ContactFact kind="phone" />
            </li>
          </ul>
        </div>
        <Card padding="lg" shadow="glow">
          <ContactIsland location="homepage" />
        </Card>
      </div>
    </Section>
  );
}
