import { useContent } from '../content/context.ts';
import type { Link } from '../content/types.ts';
import {
  BookingLink,
  EmailLink,
  newTabNoteId,
  PhoneLink,
  SocialLinks,
} from '../ui/contact-links.tsx';
import { MotionControl } from '../ui/motion-control.tsx';
import styles from './footer.module.css';
import { Logo } from './logo.tsx';

export function Footer() {
  const { services, site, year, pages } = useContent();
  const { footer, new_tab_note } = pages.layout;
  const serviceLinks = services.map(({ id, anchor = id, title, footer_label = title }) => ({
    label: footer_label,
    path: `/services#${anchor}`,
  }));
  return (
    <footer className={styles.footer}>
      <div className={`column ${styles.columns}`}>
        <div className={styles.brand}>
          <Logo />
          <p>{site.tagline}.</p>
          <BookingLink label={footer.booking} size="small" />
        </div>
        <LinkList {...footer.quick_links} />
        <LinkList {...footer.services} links={serviceLinks} />
        <div>
          <h2 className={styles.title}>{footer.reach_us.title}</h2>
          <ul className={styles.list}>
            <li>{site.location}</li>
            {site.phone && (
              <li>
                <PhoneLink phone={site.phone} />
              </li>
            )}
            <li>
              <EmailLink />
            </li>
          </ul>
          <SocialLinks label={footer.social.title} />
        </div>
      </div>
      <div className={`column ${styles.base}`}>
        <p>
          © <span data-year>{year}</span> {site.name}. {footer.rights}
        </p>
        <MotionControl />
        <ul className={styles.legal}>
          {footer.legal.map((link) => (
            <li key={link.path}>
              <a href={link.path}>{link.label}</a>
            </li>
          ))}
        </ul>
      </div>
      <span id={newTabNoteId} hidden>
        {new_tab_note}
      </span>
    </footer>
  );
}

function LinkList({ title, links }: { title: string; links: Link[] }) {
  return (
    <nav aria-label={title}>
      <h2 className={styles.title}>{title}</h2>
      <ul className={styles.list}>
        {links.map((link) => (
          <li key={link.path}>
            <a href={link.path}>{link.label}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
