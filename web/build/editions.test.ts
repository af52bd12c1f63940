import { expect, it } from 'vitest';
import type { Content } from '../src/content/types.ts';
import { editions, startOfDay } from './editions.ts';

/** Where the site is, the 18th has not begun. */
const now = new Date('2026-11-18T03:00:00Z');

function editionsOf(dates: Record<string, string>, links: string[] = []) {
  const posts = Object.entries(dates)
    .map(([slug, date]) => ({ slug, date, categories: [] }))
    .sort((a, b) => b.date.localeCompare(a.date));
  const content = { site: { time_zone: 'America/Toronto' }, posts } as unknown as Content;
  const found = links.map((file) => ({ file, field: 'body', target: '/' }));
  return editions(content, found, now);
}

it('there is one edition, and one more for each day to come that has posts, from its beginning', () => {
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

it('an edition has the links of the posts in it', () => {
  const files = ['posts/old.md', 'posts/soon.md', 'home.toml'];
  const all = editionsOf({ old: '2020-01-01', soon: '2030-01-01' }, files);
  expect(all.map(({ links }) => links.map(({ file }) => file))).toEqual([
    ['posts/old.md', 'home.toml'],
    files,
  ]);
});

it('there are at most twelve days to come', () => {
  const days = Array.from({ length: 13 }, (_, nth) => [`p${nth}`, `2031-01-${10 + nth}`]);
  expect(() => editionsOf(Object.fromEntries(days))).toThrow('posts: date: at most 12 days');
});

it.each([
  ['2026-03-08', 'America/Toronto', '2026-03-08T05:00:00.000Z'],
  ['2026-03-09', 'America/Toronto', '2026-03-09T04:00:00.000Z'],
  // When it is midnight in UTC, their clocks have changed already.
  ['2026-09-27', 'Pacific/Auckland', '2026-09-26T12:00:00.000Z'],
])('%s in %s begins at %s, also when the clocks change on it', (day, zone, start) => {
  expect(startOfDay(day, zone)).toBe(start);
});
