import type { Prose as ProseText } from '../content/types.ts';
import { proseHtml } from '../lib/prose.ts';
import styles from './prose.module.css';

/** Long text from Markdown. The HTML comes from our own content, checked at build time. */
export function Prose({ text }: { text: ProseText }) {
  return (
    <div
      className={styles.prose}
      data-prose={text.url}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: made by the build from content/, never from a visitor.
      dangerouslySetInnerHTML={{ __html: proseHtml(text) }}
    />
  );
}
