/** The head of a page as data, which the build prints into the HTML. */
import type { Content, Site } from '../content/types.ts';
import { escapeHtml } from './escape-html.ts';
import type { Article, PageHead, View } from './page.ts';
import { breadcrumbs } from './structured-data.ts';

export type PageMeta = Omit<PageHead, 'crumb' | 'picture'> & {
  path: string;
  /** Whether search engines may list it. */
  index: boolean;
  picture: { name: string; title: string; kicker: string };
  structuredData: object[];
};

/** The length of a title that search engines show, in characters. */
export const longestTitle = 60;

/** "Title · Name", for the tab; without the name if there is no room for it. */
export function pageTitle(site: Site, title: string): string {
  const whole = `${title} · ${site.name}`;
  return whole.length > longestTitle ? title : whole;
}

export const pageHead = (
  site: Site,
  { title, description }: { title: string; description: string },
  picture: PageHead['picture'],
  ...structuredData: object[]
): PageHead => ({ title: pageTitle(site, title), description, picture, structuredData });

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

/** Marks the tags that a client navigation replaces (`navigation/navigate.ts`). */
const marker = 'data-page';

function tag(name: string, attributes: Record<string, string>): string {
  const list = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeHtml(value)}"`);
  return `<${name} ${marker}${list.join('')}>`;
}
const named = (name: string, content: string) => tag('meta', { name, content });
const property = (name: string, content: string) => tag('meta', { property: name, content });

export function printHead(site: Site, meta: PageMeta): string {
  const { title, description, article } = meta;
  const url = site.url + meta.path;
  const image = `${site.url}/og/${meta.picture.name}.png`;
  return [
    `${tag('title', {})}${escapeHtml(title)}</title>`,
    named('description', description),
    meta.index ? tag('link', { rel: 'canonical', href: url }) : named('robots', 'noindex'),
    property('og:type', article ? 'article' : 'website'),
    property('og:site_name', site.name),
    property('og:locale', 'en_CA'),
    property('og:title', title),
    property('og:description', description),
    property('og:url', url),
    property('og:image', image),
    property('og:image:width', '1200'),
    property('og:image:height', '630'),
    property('og:image:alt', meta.picture.title),
    named('twitter:card', 'summary_large_image'),
    named('twitter:image', image),
    ...(article ? articleTags(article) : []),
    ...meta.structuredData.map(structuredDataTag),
  ].join('');
}

const articleTags = ({ published, updated, categories }: Article) => [
  property('article:published_time', published),
  ...(updated ? [property('article:modified_time', updated)] : []),
  ...categories.map((category) => property('article:tag', category)),
];

function structuredDataTag(data: object): string {
  const json = JSON.stringify({ '@context': 'https://schema.org', ...data });
  // Only "<" could end the script early.
  return `${tag('script', { type: 'application/ld+json' })}${json.replaceAll('<', '\\u003c')}</script>`;
}
