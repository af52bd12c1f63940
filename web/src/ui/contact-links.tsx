/** The ways to reach the business: booking, mail, phone and social networks. */
import { useContent } from '../content/context.ts';
import { type Network, networks } from '../content/networks.ts';
import type { Site } from '../content/types.ts';
import { ButtonLink, type ButtonLook } from './button.tsx';
import styles from './contact-links.module.css';
import { Icon } from './icon.tsx';

/** It's once in the layout; every link that opens a new tab refers to it. */
export const newTabNoteId = 'new-tab-note';

/** The attributes of a link that opens a new tab. */
export const newTab = {
  target: '_blank',
  rel: 'noopener',
  'aria-describedby': newTabNoteId,
} as const;

export function BookingLink({ label, ...look }: ButtonLook & { label: string }) {
  const { site } = useContent();
  return (
    <ButtonLink href={site.booking_url} {...newTab} icon="arrow-up-right" data-booking {...look}>
      {label}
    </ButtonLink>
  );
}

export function EmailLink() {
  const { email } = useContent().site;
  return <a href={`mailto:${email}`}>{email}</a>;
}

export const PhoneLink = ({ phone }: { phone: string }) => (
  <a href={`tel:${phone.replace(/[^+\d]/g, '')}`}>{phone}</a>
);

export const networksOf = ({ social }: Site) =>
  (Object.keys(networks) as Network[]).filter((name) => social[name]);

export function SocialLinks({ label }: { label: string }) {
  const { site, pages } = useContent();
  const ownNetworks = networksOf(site);
  if (ownNetworks.length === 0) return null;
  return (
    <ul className={styles.list} aria-label={label}>
      {ownNetworks.map((network) => (
        <li key={network}>
          <a
            href={site.social[network]}
            {...newTab}
            aria-label={pages.layout.footer.social[network]}
          >
            <Icon path={networks[network].icon} />
          </a>
        </li>
      ))}
    </ul>
  );
}
