import { useContent } from '../../content/context.ts';
import type { Content } from '../../content/types.ts';
import { heroHead } from '../../lib/head.ts';
import { faqPage, organization } from '../../lib/structured-data.ts';
import { ClosingCall } from '../../sections/closing-call.tsx';
import { ContactIsland } from '../../sections/form-islands.tsx';
import { PageHero } from '../../sections/page-hero.tsx';
import { Steps } from '../../sections/steps.tsx';
import { Card } from '../../ui/card.tsx';
import { Section } from '../../ui/section.tsx';
import { ContactInfo } from './contact-info.tsx';
import { Faq } from './faq.tsx';
import styles from './page.module.css';

export function Page() {
  const { contact } = useContent().pages;
  return (
    <>
      <PageHero {...contact.hero} />
      <Section spacing="sm">
        <div className={styles.layout}>
          <Card padding="lg" shadow="glow">
            <h2 className={styles.title}>{contact.form_title}</h2>
            <ContactIsland location="contact" />
          </Card>
          <ContactInfo />
        </div>
      </Section>
      <Timeline />
      <Faq />
      {contact.closing && <ClosingCall closing={contact.closing} />}
    </>
  );
}

/** What happens after the call: there once the content says so. */
function Timeline() {
  const { timeline } = useContent().pages.contact;
  if (!timeline) return null;
  const { items, ...words } = timeline;
  return (
    <Section {...words} heading="split" backgroundColor="dark-lighter">
      <Steps items={items} />
    </Section>
  );
}

export function meta({ site, pages }: Content) {
  const { faq } = pages.contact;
  return heroHead(site, pages.contact, organization(site), ...(faq ? [faqPage(faq.items)] : []));
}
