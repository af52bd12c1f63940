import layout from 'content:layout';
import site from 'content:site';
import { type Network, networks } from '../content/networks.ts';
import { newTabNoteId } from './booking-link.tsx';
import { Icon } from './icon.tsx';
import styles from './social-links.module.css';

/** Those the business is on. */
export const ownNetworks = (Object.keys(networks) as Network[]).filter((name) => site.social[name]);

export function SocialLinks({ label }: { label: string }) {
  if (ownNetworks.length === 0) return null;
  return (
    <ul className={styles.list} aria-label={label}>
      {ownNetworks.map((network) => (
        <li key={network}>
          <a
            href={site.social[network]}
            target="_blank"
            rel="noopener"
            aria-label={layout.footer.social[network]}
            aria-describedby={newTabNoteId}
          >
            <Icon path={networks[network].icon} />
          </a>
        </li>
      ))}
    </ul>
  );
}
