import type { ReactNode } from 'react';
import { useContent } from '../../content/context.ts';
import type { Content } from '../../content/types.ts';
import { pageHead } from '../../lib/head.ts';
import { fadeInThreshold } from '../../lib/reveal-timing.ts';
import { faqPage, organization } from '../../lib/structured-data.ts';
import { ClosingCall } from '../../sections/closing-call.tsx';
import { ContactIsland } from '../../sections/form-islands.tsx';
import { PageHero } from '../../sections/page-hero.tsx';
import { Steps } from '../../sections/steps.tsx';
import { Card } from '../../ui/card.tsx';
import { EmailLink, networksOf, PhoneLink, SocialLinks } from '../../ui/contact-links.tsx';
import { Icon } from '../../ui/icon.tsx';
import type { IconName } from '../../ui/icon-paths.ts';
import { Picture } from '../../ui/picture.tsx';
import { Section } from '../../ui/section.tsx';
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
      <Steps steps={contact.timeline} />
      <Faq />
      {contact.closing && <ClosingCall closing={contact.closing} />}
    </>
  );
}

function ContactInfo() {
  const { site, pages } = useContent();
  const { info } = pages.contact;
  return (
    <div>
      <h2 className={styles.contactInfoTitle}>{info.title}</h2>
      <dl>
        <Fact icon="mail" label={info.email_label}>
          <EmailLink />
        </Fact>
        {site.phone && (
          <Fact icon="phone" label={info.phone_label}>
            <PhoneLink phone={site.phone} />
          </Fact>
        )}
        {(info.availability || info.response) && (
          <Fact icon="clock" label={info.availability_label}>
            {info.availability}
            {info.response && <small>{info.response}</small>}
          </Fact>
        )}
        {!info.map && (
          <Fact icon="map-pin" label={info.location_label}>
            {site.location}
          </Fact>
        )}
      </dl>
      {networksOf(site).length > 0 && <h3 className={styles.label}>{info.social_label}</h3>}
      <SocialLinks label={info.social_label} />
      {info.map && (
        <figure className={styles.map} data-fade={fadeInThreshold}>
          <Picture picture={info.map} />
          <figcaption>
            <Icon name="map-pin" size={18} />
            <span className="visually-hidden">{info.location_label}: </span>
            {site.location}
          </figcaption>
        </figure>
      )}
    </div>
  );
}

function Fact({ icon, label, children }: { icon: IconName; label: string; children: ReactNode }) {
  return (
    <div className={styles.fact}>
      <dt>
        <Icon name={icon} />
        {label}
      </dt>
      <dd>{children}</dd>
    </div>
  );
}

function Faq() {
  const { contact } = useContent().pages;
  if (!contact.faq) return null;
  const { items, ...words } = contact.faq;
  return (
    <Section
      {...words}
      heading="beside"
      backgroundColor={contact.timeline ? 'dark' : 'dark-lighter'}
    >
      <div className={styles.items}>
        {items.map((item) => (
          <details key={item.question} className={styles.item}>
            <summary>
              {item.question}
              <Icon name="plus" />
            </summary>
            <p>{item.answer}</p>
          </details>
        ))}
      </div>
    </Section>
  );
}

export function meta({ site, pages }: Content) {
  const { head, hero, faq } = pages.contact;
  return pageHead(site, head, hero, organization(site), ...(faq ? [faqPage(faq.items)] : []));
}
