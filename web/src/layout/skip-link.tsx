import layout from 'content:layout';
import styles from './skip-link.module.css';

export function SkipLink() {
  return (
    <a className={styles.skip} href="#main">
      {layout.skip_to_content}
    </a>
  );
}
