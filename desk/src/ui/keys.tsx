import styles from './keys.module.css';

/** Hints beside a word; screen readers hear of keys by `aria-keyshortcuts`. */
export const Keys = ({ keys }: { keys: string[] }) => (
  <span className={styles.keys} aria-hidden="true">
    {keys.map((key) => (
      <kbd key={key}>{key}</kbd>
    ))}
  </span>
);
