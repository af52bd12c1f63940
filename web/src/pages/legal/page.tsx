/** The legal texts, each a file of `content/legal/`. */
import { useContent } from '../../content/context.ts';
import type { Content, LegalText } from '../../content/types.ts';
import { longDate } from '../../lib/dates.ts';
import { pageHead } from '../../lib/head.ts';
import { Prose } from '../../ui/prose.tsx';
import styles from './page.module.css';

/** The build fails if a legal route has no text. */
const find = ({ legal }: Content, slug: string) =>
  legal.find((text) => text.slug === slug) as LegalText;

export function Page({ slug }: { slug: string }) {
  const content = useContent();
  const text = find(content, slug);
  return (
    <article className={`column ${styles.page}`}>
      <h1 className={styles.title}>{text.title}</h1>
      <p className={styles.updated}>
        {content.pages.layout.last_updated}{' '}
        <time dateTime={text.updated}>{longDate(text.updated)}</time>
      </p>
      <Prose html={text.html} />
    </article>
  );
}

export function meta(content: Content, slug: string) {
  const { title, description, updated } = find(content, slug);
  const picture = { name: slug, title, kicker: longDate(updated) };
  const head = pageHead(content.site, { title, description }, picture);
  return { ...head, crumb: title, modified: updated };
}
