import { describe, expect, it } from 'vitest';
import type { Content } from '../src/content/types.ts';
import { editions, startOfDay } from './editions.ts';

const post = (slug: string, date: string) => ({ slug, date, categories: [] });

function content(...posts: { slug: string; date: string }[]): Content {
  const newest = posts.toSorted((a, b) => b.date.localeCompare(a.date));
  return { site: { time_zone: 'America/Toronto' }, posts: newest } as unknown as Content;
}

const now = new Date('2026-11-18T03:00:00Z');
const slugs = (all: ReturnType<typeof editions>) =>
  all.map(({ from, content: { posts } }) => [from, ...posts.map(({ slug }) => slug)]);

describe('the editions of a release', () => {
  it('are one when no post is of a day to come', () => {
    // Where the site is, the 18th has not begun.
    const all = editions(content(post('a', '2026-11-17'), post('b', '2020-01-01')), [], now);
    expect(slugs(all)).toEqual([[null, 'a', 'b']]);
  });

  it('are one more for each day to come, from its beginning where the site is', () => {
    const all = editions(
      content(
        post('old', '2026-11-17'),
        post('soon', '2026-11-18'),
        post('too', '2026-11-18'),
        post('summer', '2027-07-01'),
      ),
      [],
      now,
    );
    expect(slugs(all)).toEqual([
      [null, 'old'],
      ['2026-11-18T05:00:00.000Z', 'soon', 'too', 'old'],
      ['2027-07-01T04:00:00.000Z', 'summer', 'soon', 'too', 'old'],
    ]);
  });

  it('have the links that stand in them', () => {
    const link = (file: string) => ({ file, field: 'body', target: '/' });
    const links = ['posts/old.md', 'posts/soon.md', 'home.toml'].map(link);
    const all = editions(
      content(post('old', '2020-01-01'), post('soon', '2030-01-01')),
      links,
      now,
    );
    expect(all.map((edition) => edition.links.map(({ file }) => file))).toEqual([
      ['posts/old.md', 'home.toml'],
      ['posts/old.md', 'posts/soon.md', 'home.toml'],
    ]);
  });

  it('are not too many', () => {
    const days = Array.from({ length: 13 }, (_, nth) => post(`p${nth}`, `2031-01-${10 + nth}`));
    expect(() => editions(content(...days), [], now)).toThrow(
      'content/posts: date: at most 12 days',
    );
  });
});

it('a day begins by the clocks of the zone, also when they change in its first hours', () => {
  expect(startOfDay('2026-03-08', 'America/Toronto')).toBe('2026-03-08T05:00:00.000Z');
  expect(startOfDay('2026-03-09', 'America/Toronto')).toBe('2026-03-09T04:00:00.000Z');
  expect(startOfDay('2026-11-01', 'America/Toronto')).toBe('2026-11-01T04:00:00.000Z');
  expect(startOfDay('2026-05-01', 'Pacific/Auckland')).toBe('2026-04-30T12:00:00.000Z');
  // When it is midnight in UTC, their clocks have changed already.
  expect(startOfDay('2026-09-27', 'Pacific/Auckland')).toBe('2026-09-26T12:00:00.000Z');
});
