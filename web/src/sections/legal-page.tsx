import type { LegalPage as LegalText } from '../content/types.ts';
import { longDate } from '../lib/dates.ts';
import { type PageMeta, pageTitle } from '../lib/head.ts';
import { breadcrumbs } from '../lib/structured-data.ts';
import { Prose } from '../ui/prose.tsx';
import styles from './legal-page.module.css';

export function LegalPage({ text }: { text: LegalText }) {
  return (
    <article className={styles.page}>
      <h1 className={styles.title}>{text.title}</h1>
      <p className={styles.updated}>
        Last updated: <time dateTime={text.updated}>{longDate(text.updated)}</time>
      </p>
      <Prose text={text.body} />
    </article>
  );
}

export const legalMeta = (text: LegalText, path: string): PageMeta => ({
  path,
  title: pageTitle(text.title),
  description: text.description,
  picture: { name: path.slice(1), title: text.title, kicker: longDate(text.updated) },
  index: true,
  structuredData: [breadcrumbs({ name: 'Home', path: '/' }, { name: text.title, path })],
});
