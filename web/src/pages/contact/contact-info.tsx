import type { ReactNode } from 'react';
import { useContent } from '../../content/context.ts';
import { fadeInThreshold } from '../../lib/reveal.ts';
import { EmailLink, PhoneLink } from '../../ui/contact-facts.tsx';
import { Icon } from '../../ui/icon.tsx';
import type { IconName } from '../../ui/icon-paths.ts';
import { Picture } from '../../ui/picture.tsx';
import { networksOf, SocialLinks } from '../../ui/social-links.tsx';
import styles from './contact-info.module.css';

export function ContactInfo() {
  const { site, pages } = useContent();
  const { info } = pages.contact;
  return (
    <div>
      <h2 className={styles.title}>{info.title}</h2>
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
