import { Window } from 'happy-dom';
import { expect, it } from 'vitest';
import { machineDocuments } from './documents.ts';
import { frozenContent } from './testing/content-copy.ts';

const html =
  '<p><a href="/about">We</a></p><picture><source type="image/avif" srcset="/a.avif 9w">' +
  '<img src="/assets/a.jpg" alt="A"></picture>';
/** Later than any post was written. */
const updated = '2026-11-14';

it('the feed has the newest posts with their texts as escaped HTML, absolute addresses and one file for each photo', async () => {
  const content = await frozenContent();
  const [first, second, ...rest] = content.posts;
  if (!first || !second) throw new Error('there are too few posts to test with');
  const nasty = { ...first, title: 'Fish & chips <b>"now"</b>', categories: ['R&D'], html };
  const posts = [nasty, { ...second, updated }, ...rest];
  const documents = machineDocuments({ ...content, posts }, [], new Date());
  const feed = documents.find(({ path }) => path === '/feed.xml');
  expect(feed?.type).toBe('application/atom+xml; charset=utf-8');
  const xml = new new Window().DOMParser().parseFromString(feed?.data ?? '', 'application/xml');
  expect(xml.querySelector('parsererror')).toBeNull();
  expect(xml.querySelector('feed > updated')?.textContent).toBe(`${updated}T12:00:00Z`);
  const told = [...xml.querySelectorAll('entry')].map((entry) =>
    ['id', 'title', 'published', 'updated'].map((name) => entry.querySelector(name)?.textContent),
  );
  const { url } = content.site;
  expect(told).toEqual(
    posts.map((post) => [
      `${url}/blog/${post.slug}`,
      post.title,
      `${post.date}T12:00:00Z`,
      `${post.updated ?? post.date}T12:00:00Z`,
    ]),
  );
  expect(xml.querySelector('category')?.getAttribute('term')).toBe('R&D');
  expect(xml.querySelector('content')?.textContent).toBe(
    `<p><a href="${url}/about">We</a></p><picture><img src="${url}/assets/a.jpg" alt="A"></picture>`,
  );
});
