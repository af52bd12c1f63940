import { Window } from 'happy-dom';
import { expect, it } from 'vitest';
import type { PageMeta } from '../src/lib/head.ts';
import { machineDocuments } from './documents.ts';
import { frozenContent } from './testing/content-copy.ts';

const now = new Date('2026-11-15T10:00:00Z');
const nasty = 'Fish & chips <b>"now"</b>';
const html =
  '<p><a href="/about">We</a></p><picture><source type="image/avif" srcset="/a.avif 9w">' +
  '<img src="/assets/a.jpg" alt="A"></picture>';
/** Later than any post was written. */
const updated = '2026-11-14';

const frozen = await frozenContent();
const [first, second, ...rest] = frozen.posts;
if (!first || !second) throw new Error('there are too few posts to test with');
const content = {
  ...frozen,
  posts: [{ ...first, title: nasty, categories: ['R&D'], html }, { ...second, updated }, ...rest],
};
const { site, posts } = content;

const meta = (path: string, extra: Partial<PageMeta> = {}): PageMeta => ({
  path,
  title: `${path} title`,
  description: `${path} description`,
  picture: { name: 'x', title: `${path} heading`, kicker: '' },
  index: true,
  structuredData: [],
  ...extra,
});
const metas = [
  meta('/'),
  meta('/blog', { modified: updated }),
  meta('/checkout/success', { index: false }),
];
const documents = new Map(machineDocuments(content, metas, now).map((made) => [made.path, made]));
const text = (path: string) => documents.get(path)?.text ?? '';

function xml(path: string) {
  const document = new new Window().DOMParser().parseFromString(text(path), 'application/xml');
  expect(document.querySelector('parsererror')).toBeNull();
  return document;
}

it('the sitemap lists what search engines may list, with the day of the last change if it is known', () => {
  const urls = [...xml('/sitemap.xml').querySelectorAll('url')].map((url) =>
    ['loc', 'lastmod'].map((name) => url.querySelector(name)?.textContent),
  );
  expect(urls).toEqual([
    [`${site.url}/`, undefined],
    [`${site.url}/blog`, updated],
  ]);
});

it('the feed has the newest posts with their texts as escaped HTML, absolute addresses and one file for each photo', () => {
  const feed = xml('/feed.xml');
  expect(documents.get('/feed.xml')?.type).toBe('application/atom+xml; charset=utf-8');
  expect(feed.querySelector('feed > updated')?.textContent).toBe(`${updated}T12:00:00Z`);
  const told = [...feed.querySelectorAll('entry')].map((entry) =>
    ['id', 'title', 'published', 'updated'].map((name) => entry.querySelector(name)?.textContent),
  );
  expect(told).toEqual(
    posts.map((post) => [
      `${site.url}/blog/${post.slug}`,
      post.title,
      `${post.date}T12:00:00Z`,
      `${post.updated ?? post.date}T12:00:00Z`,
    ]),
  );
  expect(feed.querySelector('category')?.getAttribute('term')).toBe('R&D');
  expect(feed.querySelector('content')?.textContent).toBe(
    `<p><a href="${site.url}/about">We</a></p><picture><img src="${site.url}/assets/a.jpg" alt="A"></picture>`,
  );
});

it('robots.txt names the sitemap', () => {
  expect(text('/robots.txt')).toContain(`\nSitemap: ${site.url}/sitemap.xml\n`);
});

it('the web manifest has the name and the icons in all sizes', () => {
  const manifest = JSON.parse(text('/site.webmanifest'));
  expect(manifest).toMatchObject({ name: site.name, start_url: '/' });
  const icons = manifest.icons.map(({ sizes, purpose }: Record<string, string>) => [
    sizes,
    purpose,
  ]);
  expect(icons).toEqual([
    ['192x192', 'any'],
    ['512x512', 'any'],
    ['512x512', 'maskable'],
  ]);
});

it('llms.txt begins with the name and a summary, and links every post', () => {
  expect(text('/llms.txt')).toMatch(new RegExp(`^# ${site.name}\n\n> ${site.tagline}`));
  for (const { slug } of posts) expect(text('/llms.txt')).toContain(`(${site.url}/blog/${slug})`);
  expect(text('/llms.txt')).not.toContain('/checkout/success');
});
