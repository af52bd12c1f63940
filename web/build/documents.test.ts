import { Window } from 'happy-dom';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Content } from '../src/content/types.ts';
import type { PageMeta } from '../src/lib/head.ts';
import { loadContent } from './content.ts';
import { machineDocuments } from './documents.ts';
import { paths } from './paths.ts';
import { frozen } from './testing/frozen.ts';

const now = new Date('2026-11-15T10:00:00Z');
const nasty = 'Fish & chips <b>"now"</b>';
const html =
  '<p><a href="/about">We</a></p><picture><source type="image/avif" srcset="/a.avif 9w">' +
  '<img src="/assets/a.jpg" alt="A"></picture>';
/** Later than any post was written. */
const updated = '2026-11-14';

let content: Content;
let documents: Map<string, { text: string; type?: string | undefined }>;

const meta = (path: string, extra: Partial<PageMeta> = {}): PageMeta => ({
  path,
  title: `${path} title`,
  description: `${path} description`,
  picture: { name: 'x', title: `${path} heading`, kicker: '' },
  index: true,
  structuredData: [],
  ...extra,
});

const change = <T>(post: T, at: number) => (at === 0 ? { ...post, updated } : post);

beforeAll(async () => {
  const loaded = await loadContent(frozen.content, paths.pictures);
  const [first, ...rest] = loaded.content.posts;
  if (!first) throw new Error('there is no post to test with');
  content = {
    ...loaded.content,
    posts: [{ ...first, title: nasty, categories: ['R&D'], html }, ...rest.map(change)],
  };
  const metas = [
    meta('/'),
    meta('/blog', { modified: updated }),
    meta(`/blog/${first.slug}`, {
      article: { published: first.date, author: first.author, categories: [] },
      modified: first.date,
    }),
    meta('/privacy'),
    meta('/checkout/success', { index: false }),
  ];
  documents = new Map(machineDocuments(content, metas, now).map((made) => [made.path, made]));
});

const text = (path: string) => documents.get(path)?.text ?? '';

function xml(path: string) {
  const document = new new Window().DOMParser().parseFromString(text(path), 'application/xml');
  expect(document.querySelector('parsererror')).toBeNull();
  return document;
}

describe('the sitemap', () => {
  it('lists what search engines may list, each once, with full addresses', () => {
    const places = [...xml('/sitemap.xml').querySelectorAll('loc')].map((loc) => loc.textContent);
    const slug = content.posts[0]?.slug;
    expect(places).toEqual(
      ['/', '/blog', `/blog/${slug}`, '/privacy'].map((path) => content.site.url + path),
    );
  });

  it('dates the pages of which it is known when they changed', () => {
    const dates = [...xml('/sitemap.xml').querySelectorAll('url')].map(
      (url) => url.querySelector('lastmod')?.textContent,
    );
    expect(dates).toEqual([undefined, updated, content.posts[0]?.date, undefined]);
  });
});

describe('the feed', () => {
  it('has every post, with its text as escaped HTML', () => {
    const feed = xml('/feed.xml');
    const entries = [...feed.querySelectorAll('entry')];
    expect(entries.map((entry) => entry.querySelector('id')?.textContent)).toEqual(
      content.posts.map(({ slug }) => `${content.site.url}/blog/${slug}`),
    );
    const first = entries[0];
    expect(first?.querySelector('title')?.textContent).toBe(nasty);
    expect(first?.querySelector('category')?.getAttribute('term')).toBe('R&D');
    expect(feed.querySelector('feed > updated')?.textContent).toBe(`${updated}T12:00:00Z`);
    const days = entries.map((entry) =>
      ['published', 'updated'].map((name) => entry.querySelector(name)?.textContent?.slice(0, 10)),
    );
    expect(days).toEqual(content.posts.map((post) => [post.date, post.updated ?? post.date]));
  });

  it('has whole addresses in its texts, and each photo in one kind', () => {
    const url = content.site.url;
    expect(xml('/feed.xml').querySelector('content')?.textContent).toBe(
      `<p><a href="${url}/about">We</a></p><picture><img src="${url}/assets/a.jpg" alt="A"></picture>`,
    );
  });

  it('is served as Atom', () => {
    expect(documents.get('/feed.xml')?.type).toBe('application/atom+xml; charset=utf-8');
  });
});

it('robots.txt names the sitemap', () => {
  expect(text('/robots.txt')).toContain(`\nSitemap: ${content.site.url}/sitemap.xml\n`);
});

it('the web manifest carries the name and icons of all sizes', () => {
  const manifest = JSON.parse(text('/site.webmanifest'));
  expect(manifest).toMatchObject({ name: content.site.name, start_url: '/' });
  expect(
    manifest.icons.map((icon: { sizes: string; purpose: string }) => [icon.sizes, icon.purpose]),
  ).toEqual([
    ['192x192', 'any'],
    ['512x512', 'any'],
    ['512x512', 'maskable'],
  ]);
});

it('llms.txt begins with the name and a summary, and links every post', () => {
  expect(text('/llms.txt')).toMatch(
    new RegExp(`^# ${content.site.name}\n\n> ${content.site.tagline}`),
  );
  for (const { slug } of content.posts) {
    expect(text('/llms.txt')).toContain(`(${content.site.url}/blog/${slug})`);
  }
  expect(text('/llms.txt')).not.toContain('/checkout/success');
});

it('security.txt ends within a year', () => {
  const expires = /^Expires: (.*)$/m.exec(text('/.well-known/security.txt'))?.[1] ?? '';
  const days = (Date.parse(expires) - now.getTime()) / 86_400_000;
  expect(days).toBeGreaterThan(300);
  expect(days).toBeLessThanOrEqual(366);
});
