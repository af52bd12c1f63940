import { useContent } from '../content/context.ts';
import styles from './skip-link.module.css';

export function SkipLink() {
  const { layout } = useContent().pages;
  return (
    <a className={styles.skip} href="#main">
      {layout.skip_to_content}
    </a>
  );
}
