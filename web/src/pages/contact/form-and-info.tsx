import contact from 'content:contact';
import { ContactIsland } from '../../sections/contact-island.tsx';
import { Card } from '../../ui/card.tsx';
import { Section } from '../../ui/section.tsx';
import { ContactInfo } from './contact-info.tsx';
import styles from './form-and-info.module.css';

export function FormAndInfo() {
  return (
    <Section spacing="sm">
      <div className={styles.layout}>
        <Card padding="lg" shadow="glow">
          <h2 className={styles.title}>{contact.form_title}</h2>
          <ContactIsland location="contact" />
        </Card>
        <ContactInfo />
      </div>
    </Section>
  );
}
