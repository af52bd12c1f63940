/** The posts of the blog: drafts, dates, sources, categories, reading time, days to come. */
import { describe, expect, it } from 'vitest';
import type { Content } from '../src/content/types.ts';
import { editions, readingMinutes, startOfDay } from './posts.ts';
import { copyForEachTest, samplePost } from './testing/content-copy.ts';
import { phonePhoto } from './testing/photo.ts';

const copy = copyForEachTest();
const slugs = async () => (await copy.load()).content.posts.map(({ slug }) => slug);

describe('a draft', () => {
  it('is left out, with its photos, unless it is asked for', async () => {
    await copy.write('posts/shop.jpg', await phonePhoto({ width: 800, height: 600 }));
    await copy.write('posts/front.jpg', await phonePhoto({ width: 700, height: 600 }));
    const fields = 'draft = true\npicture = { file = "front.jpg", alt = "A front" }';
    await copy.write('posts/sample.md', samplePost(fields, '![A shop](shop.jpg)'));
    const { content, links, files, warnings } = await copy.load();
    const photos = (made: typeof files) =>
      [...made.keys()].filter((path) => !path.endsWith('.svg'));
    expect(content.posts.map(({ slug }) => slug)).not.toContain('sample');
    expect(links.filter(({ file }) => file === 'posts/sample.md')).toEqual([]);
    expect(photos(files)).toEqual([]);
    expect(warnings).toEqual([]);
    const shown = await copy.load({ drafts: true });
    expect(shown.content.posts[0]).toMatchObject({ slug: 'sample', draft: true });
    const names = photos(shown.files).map((path) => path.split('-')[0]);
    expect(new Set(names)).toEqual(new Set(['/assets/front', '/assets/shop']));
  });

  it('may be incomplete until it is published', async () => {
    const half = samplePost('draft = true').replace(/^excerpt = .*\n/m, '');
    await copy.write('posts/sample.md', half);
    expect(await slugs()).not.toContain('sample');
    await expect(copy.load({ drafts: true })).rejects.toThrow('content/posts/sample.md: excerpt: ');
    await copy.write('posts/sample.md', half.replace('draft = true', 'draft = false'));
    await expect(copy.load()).rejects.toThrow('content/posts/sample.md: excerpt: ');
  });
});

it('a post cannot have been changed before it was written', async () => {
  await copy.write('posts/sample.md', samplePost('updated = 2031-05-16'));
  await expect(copy.load()).rejects.toThrow(
    'content/posts/sample.md: updated: must not be before the date of the post',
  );
  await copy.write('posts/sample.md', samplePost('updated = 2031-05-18'));
  expect((await copy.load()).content.posts[0]).toMatchObject({
    date: '2031-05-17',
    updated: '2031-05-18',
  });
});

describe('sources', () => {
  const field = (url: string) => `sources = [{ label = "Tools & <time>, 2030", url = "${url}" }]`;
  const html = async () => (await copy.load()).content.posts[0]?.html;

  it('are links below the text, and nothing is there without them', async () => {
    await copy.write('posts/sample.md', samplePost(field('https://x.example/a?b=1&c=2')));
    const link = '<a href="https://x.example/a?b=1&amp;c=2">Tools &amp; &lt;time&gt;, 2030</a>';
    expect(await html()).toBe(
      `<p>A <em>sample</em> body.</p>\n<section><h2 id="sources">Sources</h2><ol><li>${link}</li></ol></section>`,
    );
    await copy.write('posts/sample.md', samplePost());
    expect(await html()).toBe('<p>A <em>sample</em> body.</p>');
  });

  it('must have an address, and their heading keeps its id', async () => {
    await copy.write('posts/sample.md', samplePost(field('a book')));
    expect(await copy.mistakes()).toEqual([
      'content/posts/sample.md: sources.1.url: must be an http(s) address',
    ]);
    await copy.write('posts/sample.md', samplePost(field('https://x.example'), '## Sources'));
    expect(await html()).toContain('<h2 id="sources-2">Sources</h2>');
  });
});

it('a category must be written in one way', async () => {
  const post = (name: string) => samplePost().replace('"Samples"', `"${name}"`);
  await copy.write('posts/a-sample.md', post('How to'));
  await copy.write('posts/b-sample.md', post('How-to'));
  await copy.write('posts/c-sample.md', post('見出し'));
  await expect(copy.load()).rejects.toThrow(
    'content/posts/b-sample.md: categories.1: is written How to in another post: write it the same way\n' +
      'content/posts/business-automation-basics.md: categories.2: is written How to in another post: write it the same way\n' +
      'content/posts/c-sample.md: categories.1: has no letter or digit that can be in an address',
  );
});

it.each([
  [0, 1],
  [100, 1],
  [230, 1],
  [345, 2],
  [1150, 5],
])('%s words take %s minutes', (words, minutes) => {
  expect(readingMinutes(`<p class="some words">${'<b>word</b> '.repeat(words)}</p>`)).toBe(minutes);
});

/** In the site's time zone the 18th has not begun. */
const now = new Date('2026-11-18T03:00:00Z');

function editionsOf(dates: Record<string, string>) {
  const posts = Object.entries(dates)
    .map(([slug, date]) => ({ slug, date, categories: [] }))
    .sort((a, b) => b.date.localeCompare(a.date));
  const content = { site: { time_zone: 'America/Toronto' }, posts } as unknown as Content;
  return editions(content, [], now);
}

it('there is one edition for today, and one for each later day with posts, from its beginning', () => {
  const all = editionsOf({
    old: '2026-11-17',
    soon: '2026-11-18',
    too: '2026-11-18',
    summer: '2027-07-01',
  });
  expect(all.map(({ from, content }) => [from, ...content.posts.map(({ slug }) => slug)])).toEqual([
    [null, 'old'],
    ['2026-11-18T05:00:00.000Z', 'soon', 'too', 'old'],
    ['2027-07-01T04:00:00.000Z', 'summer', 'soon', 'too', 'old'],
  ]);
});

it('posts can be planned for at most twelve days', () => {
  const days = Array.from({ length: 13 }, (_, nth) => [`p${nth}`, `2031-01-${10 + nth}`]);
  expect(() => editionsOf(Object.fromEntries(days))).toThrow(
    'posts: date: posts can be planned for at most 12 days',
  );
});

it.each([
  ['2026-03-08', 'America/Toronto', '2026-03-08T05:00:00.000Z'],
  ['2026-03-09', 'America/Toronto', '2026-03-09T04:00:00.000Z'],
  // At midnight in UTC, the clocks there have already changed.
  ['2026-09-27', 'Pacific/Auckland', '2026-09-26T12:00:00.000Z'],
])('%s in %s begins at %s, also when the clocks change on it', (day, zone, start) => {
  expect(startOfDay(day, zone)).toBe(start);
});
