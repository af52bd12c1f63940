/** The legal texts, each a file of `content/legal/`. */
import layout from 'content:layout';
import texts from 'content:legal';
import type { LegalText } from '../../content/types.ts';
import { longDate } from '../../lib/dates.ts';
import { pageTitle } from '../../lib/head.ts';
import type { PageHead } from '../../lib/page.ts';
import { Prose } from '../../ui/prose.tsx';
import styles from './page.module.css';

/** The build makes sure that every legal route has its text. */
const find = (slug: string) => texts.find((text) => text.slug === slug) as LegalText;

export function Page({ slug }: { slug: string }) {
  const text = find(slug);
  return (
    <article className={styles.page}>
      <h1 className={styles.title}>{text.title}</h1>
      <p className={styles.updated}>
        {layout.last_updated} <time dateTime={text.updated}>{longDate(text.updated)}</time>
      </p>
      <Prose html={text.html} />
    </article>
  );
}

export function meta(slug: string): PageHead {
  const { title, description, updated } = find(slug);
  return {
    title: pageTitle(title),
    description,
    picture: { name: slug, title, kicker: longDate(updated) },
    crumb: title,
    modified: updated,
  };
}
