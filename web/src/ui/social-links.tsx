import layout from 'content:layout';
import site from 'content:site';
import { newTabNoteId } from './booking-link.tsx';
import { Icon } from './icon.tsx';
import styles from './social-links.module.css';

const networks = ['twitter', 'linkedin', 'instagram'] as const;

export function SocialLinks({ label }: { label: string }) {
  return (
    <ul className={styles.list} aria-label={label}>
      {networks.map((network) => (
        <li key={network}>
          <a
            href={site.social[network]}
            target="_blank"
            rel="noopener"
            aria-label={layout.footer.social[network]}
            aria-describedby={newTabNoteId}
          >
            <Icon name={network} />
          </a>
        </li>
      ))}
    </ul>
  );
}
