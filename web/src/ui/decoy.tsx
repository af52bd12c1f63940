import styles from './decoy.module.css';

/** A field nobody sees. Programs that fill in everything fill it in too. */
export function Decoy({ label }: { label: string }) {
  return (
    <div className={styles.decoy} aria-hidden="true">
      <label>
        {label}
        <input type="text" name="company_website" tabIndex={-1} autoComplete="off" />
      </label>
    </div>
  );
}
