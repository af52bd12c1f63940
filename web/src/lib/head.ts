/** The head of a page as data, printed into the HTML by the build. */
import type { Content, Site } from '../content/types.ts';
import { escapeHtml } from './escape-html.ts';
import type { Article, PageHead, View } from './page.ts';
import { breadcrumbs } from './structured-data.ts';

export type PageMeta = {
  path: string;
  title: string;
  description: string;
  /** The name of its Open Graph picture, and the small line above its title there. */
  picture: { name: string; title: string; kicker: string };
  /** Whether search engines may list it. */
  index: boolean;
  article?: Article;
  modified?: string | undefined;
  structuredData: object[];
};

/** What search engines show of a page's title, in characters. */
export const longestTitle = 60;

/** "Title · Name", as it stands in the tab; a title that leaves the name no room stands alone. */
export function pageTitle(site: Site, title: string): string {
  const whole = `${title} · ${site.name}`;
  return whole.length > longestTitle ? title : whole;
}

type Words = {
  head: { title: string; description: string };
  hero: { title: string; kicker: string };
};

/** The head of a page that begins with a hero. */
export const heroHead = (
  site: Site,
  { head, hero }: Words,
  ...structuredData: object[]
): PageHead => ({
  title: pageTitle(site, head.title),
  description: head.description,
  picture: hero,
  structuredData,
});

export function headOf(content: Content, { module, path, page, slug, listed }: View): PageMeta {
  const { crumb, structuredData = [], picture, ...head } = module.meta(content, slug);
  const trail = listed && path !== '/' ? [breadcrumbs(content, path, crumb ?? picture.kicker)] : [];
  return {
    path,
    index: listed,
    ...head,
    picture: { name: page, ...picture },
    structuredData: [...structuredData, ...trail],
  };
}

type Tag = {
  name: 'title' | 'meta' | 'link' | 'script';
  attributes: Record<string, string>;
  text?: string;
};

function headTags(site: Site, meta: PageMeta): Tag[] {
  const named = (name: string, content: string): Tag => ({
    name: 'meta',
    attributes: { name, content },
  });
  const property = (name: string, content: string): Tag => ({
    name: 'meta',
    attributes: { property: name, content },
  });
  const url = site.url + meta.path;
  const image = `${site.url}/og/${meta.picture.name}.png`;
  return [
    { name: 'title', attributes: {}, text: meta.title },
    named('description', meta.description),
    ...(meta.index
      ? [{ name: 'link', attributes: { rel: 'canonical', href: url } } satisfies Tag]
      : [named('robots', 'noindex')]),
    property('og:type', meta.article ? 'article' : 'website'),
    property('og:site_name', site.name),
    property('og:locale', 'en_CA'),
    property('og:title', meta.title),
    property('og:description', meta.description),
    property('og:url', url),
    property('og:image', image),
    property('og:image:width', '1200'),
    property('og:image:height', '630'),
    property('og:image:alt', meta.picture.title),
    named('twitter:card', 'summary_large_image'),
    named('twitter:title', meta.title),
    named('twitter:description', meta.description),
    named('twitter:image', image),
    ...(meta.article
      ? [
          property('article:published_time', meta.article.published),
          ...(meta.article.updated
            ? [property('article:modified_time', meta.article.updated)]
            : []),
          ...meta.article.categories.map((category) => property('article:tag', category)),
        ]
      : []),
    ...meta.structuredData.map(
      (data): Tag => ({
        name: 'script',
        attributes: { type: 'application/ld+json' },
        text: JSON.stringify({ '@context': 'https://schema.org', ...data }),
      }),
    ),
  ];
}

/** What a client navigation exchanges (`navigation/navigate.ts`). */
const marker = 'data-page';

export function printHead(site: Site, meta: PageMeta): string {
  return headTags(site, meta)
    .map(({ name, attributes, text }) => {
      const list = Object.entries(attributes).map(
        ([key, value]) => ` ${key}="${escapeHtml(value)}"`,
      );
      const start = `<${name} ${marker}${list.join('')}>`;
      // Inside a script only "<" could end it early; elsewhere text is escaped as usual.
      const body = name === 'script' ? text?.replaceAll('<', '\\u003c') : text && escapeHtml(text);
      return body === undefined ? start : `${start}${body}</${name}>`;
    })
    .join('');
}
