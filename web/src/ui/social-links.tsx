import { useContent } from '../content/context.ts';
import { type Network, networks } from '../content/networks.ts';
import type { Site } from '../content/types.ts';
import { newTabNoteId } from './booking-link.tsx';
import { Icon } from './icon.tsx';
import styles from './social-links.module.css';

/** Those the business is on. */
export const networksOf = ({ social }: Site) =>
  (Object.keys(networks) as Network[]).filter((name) => social[name]);

export function SocialLinks({ label }: { label: string }) {
  const { site, pages } = useContent();
  const { layout } = pages;
  const ownNetworks = networksOf(site);
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
