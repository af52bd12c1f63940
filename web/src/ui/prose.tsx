import type { Prose as ProseText } from '../content/types.ts';
import { useLayoutWhenIdle } from '../hooks/use-layout-when-idle.ts';
import { proseHtml } from '../lib/prose.ts';
import styles from './prose.module.css';

/** Long text from Markdown. The HTML comes from our own content, checked at build time. */
export function Prose({ text }: { text: ProseText }) {
  const prose = useLayoutWhenIdle<HTMLDivElement>(inSteps);
  return (
    <div
      ref={prose}
      className={styles.prose}
      data-prose={text.url}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: made by the build from content/, never from a visitor.
      dangerouslySetInnerHTML={{ __html: proseHtml(text) }}
    />
  );
}

const paragraphsAtOnce = 5;

function inSteps(prose: HTMLElement): HTMLElement[][] {
  const paragraphs = [...prose.children] as HTMLElement[];
  const steps: HTMLElement[][] = [];
  while (paragraphs.length > 0) steps.push(paragraphs.splice(0, paragraphsAtOnce));
  return steps;
}
