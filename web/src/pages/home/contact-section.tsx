import { useContent } from '../../content/context.ts';
import { ContactIsland } from '../../sections/form-islands.tsx';
import { Card } from '../../ui/card.tsx';
import { EmailLink, PhoneLink } from '../../ui/contact-facts.tsx';
import { Heading } from '../../ui/heading.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/section.tsx';
import styles from './contact-section.module.css';

export function ContactSection() {
  const { site, pages } = useContent();
  return (
    <Section {...pages.home.contact} id="contact">
      <div className={styles.layout}>
        <div>
          <Heading />
          <ul className={styles.ways}>
            <li>
              <Icon name="mail" />
              <EmailLink />
            </li>
            {site.phone && (
              <li>
                <Icon name="phone" />
                <PhoneLink phone={site.phone} />
              </li>
            )}
          </ul>
        </div>
        <Card padding="lg" shadow="glow">
          <ContactIsland location="homepage" />
        </Card>
      </div>
    </Section>
  );
}
