import styles from './decoy.module.css';

/** As `src/http/` knows it. Nothing that a browser or a password manager has a word for. */
export const decoyName = 'leave_empty';

/** A field nobody sees. Programs that fill in everything fill it in too. */
export function Decoy({ label }: { label: string }) {
  return (
    <div className={styles.decoy} aria-hidden="true">
      <label>
        <span data-word="decoy">{label}</span>
        <input
          type="text"
          name={decoyName}
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
