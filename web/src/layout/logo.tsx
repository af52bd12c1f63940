import { useContent } from '../content/context.ts';
import styles from './logo.module.css';

export function Logo() {
  const { site, mark } = useContent();
  return (
    <a className={styles.logo} href="/">
      {mark ? (
        <img {...mark} alt="" />
      ) : (
        <svg width="32" height="32" viewBox="0 0 32 32" fill="none" aria-hidden="true">
          <rect width="32" height="32" rx="10" className={styles.plate} />
          <path d="M7.5 22.500V11.400l8.500 7.200 8.500-7.200v11.100" className={styles.stroke} />
          <circle cx="16" cy="8.600" r="2.200" className={styles.spark} />
        </svg>
      )}
      {site.name}
    </a>
  );
}
