import styles from './prose.module.css';

/** Long text from Markdown. */
export function Prose({ html }: { html: string }) {
  return (
    <div
      className={styles.prose}
      data-prose
      data-part="body"
      // biome-ignore lint/security/noDangerouslySetInnerHtml: made by the build from content/, never from a visitor.
      dangerouslySetInnerHTML={{ __html: html }}
    />
  );
}
