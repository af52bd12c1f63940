import styles from './honeypot.module.css';

/** As `src/http/` knows it. Nothing that a browser or a password manager has a word for. */
export const honeypotName = 'leave_empty';

/** A field nobody sees. Programs that fill in everything fill it in too. */
export function Honeypot({ label }: { label: string }) {
  return (
    <div className={styles.honeypot} aria-hidden="true">
      <label>
        {label}
        <input
          type="text"
          name={honeypotName}
          tabIndex={-1}
          autoComplete="off"
          data-1p-ignore
          data-bwignore
          data-lpignore="true"
          data-form-type="other"
        />
      </label>
    </div>
  );
}
