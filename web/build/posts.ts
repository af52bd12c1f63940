/** Rules for all posts of the blog: order, categories, sources, reading time, and publishing on later days. */
import type { z } from 'zod';
import type { postFrontMatter } from '../src/content/schema.ts';
import type { Category, Content, Post } from '../src/content/types.ts';
import { escapeHtml } from '../src/lib/escape-html.ts';
import { addressPart } from './dist.ts';
import type { InternalLink } from './links.ts';
import { ContentError } from './mistakes.ts';

/** The number of words of plain text that adults read in a minute. */
const wordsInMinute = 230;

export function readingMinutes(html: string): number {
  const words = html
    .replaceAll(/<[^>]*>/g, ' ')
    .split(/\s+/)
    .filter(Boolean);
  return Math.max(1, Math.round(words.length / wordsInMinute));
}

type ReadPost = z.infer<typeof postFrontMatter> & Pick<Post, 'id' | 'slug' | 'html'>;

/** Part of the post's text, so that the page, the window and the feed all show it. */
function sourceList(sources: ReadPost['sources'], title: string): string {
  if (!sources) return '';
  const items = sources.map(
    ({ label, url }) => `<li><a href="${escapeHtml(url)}">${escapeHtml(label)}</a></li>`,
  );
  return `\n<section><h2 id="sources">${escapeHtml(title)}</h2><ol>${items.join('')}</ol></section>`;
}

/** The newest first, each with the blog's defaults for what it leaves out. */
export const sortedPosts = (
  posts: ReadPost[],
  { post: defaults }: Content['pages']['blog'],
): Post[] =>
  posts
    .map((post) => ({
      ...post,
      html: post.html + sourceList(post.sources, defaults.sources),
      author: post.author ?? defaults.author,
      picture: post.picture ?? defaults.default_picture,
      cta: post.cta ?? defaults.cta,
      minutes: readingMinutes(post.html),
    }))
    .sort((a, b) => b.date.localeCompare(a.date) || a.slug.localeCompare(b.slug));

/** Categories with two posts or more, which have a page. */
export const categoriesOf = (posts: Post[]): Category[] =>
  [...new Set(posts.flatMap(({ categories }) => categories))]
    .map((name) => {
      const slug = addressPart(name);
      const own = posts.filter(({ categories }) => categories.includes(name));
      return { name, slug, path: `/blog/category/${slug}`, posts: own };
    })
    .filter((category) => category.posts.length > 1);

/** A category has one page, so it must be written in one way. */
export function categoryMistakes(posts: Pick<Post, 'slug' | 'categories'>[]) {
  const names = new Map<string, string>();
  return posts.flatMap(({ slug, categories }) =>
    categories.flatMap((name, at) => {
      const address = addressPart(name);
      const known = names.get(address) ?? name;
      names.set(address, known);
      const where = { file: `posts/${slug}.md`, field: `categories.${at + 1}` };
      if (!address)
        return [{ ...where, message: 'has no letter or digit that can be in an address' }];
      if (known === name) return [];
      return [{ ...where, message: `is written ${known} in another post: write it the same way` }];
    }),
  );
}

/** The limit: each day with a new post makes the release larger and the build longer. */
const maxFutureDays = 12;

/**
 * A release has the site as it is today, and once more for each day to come on which posts come out: the server
 * changes to that edition when the day begins (`from`, in UTC), without a build. Each has its content and its links.
 */
export function editions(content: Content, links: InternalLink[], now: Date) {
  const zone = content.site.time_zone;
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(now);
  const days = content.posts.map(({ date }) => date).filter((date) => date > today);
  const futureDays = [...new Set(days)].sort();
  if (futureDays.length > maxFutureDays) {
    const message = `posts can be planned for at most ${maxFutureDays} days, and these are ${futureDays.length}`;
    throw new ContentError([{ file: 'content/posts', field: 'date', message }]);
  }
  const upTo = (day: string) => {
    const posts = content.posts.filter(({ date }) => date <= day);
    const later = content.posts.filter(({ date }) => date > day);
    const hidden = new Set(later.map(({ slug }) => `posts/${slug}.md`));
    const shown = { ...content, posts, categories: categoriesOf(posts) };
    return { content: shown, links: links.filter(({ file }) => !hidden.has(file)) };
  };
  return [
    { from: null, ...upTo(today) },
    ...futureDays.map((day) => ({ from: startOfDay(day, zone), ...upTo(day) })),
  ];
}

export function startOfDay(day: string, zone: string): string {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // The offset at that time; that of the day before may differ.
  const guess = midnight - offset(midnight, zone);
  return new Date(midnight - offset(guess, zone)).toISOString();
}

/** How far the zone's clocks are ahead of UTC at this time, in milliseconds. */
function offset(time: number, zone: string): number {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  const name = format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value;
  // "GMT-05:00", or "GMT" alone.
  return -Date.parse(`1970-01-01T00:00:00${name?.slice(3) || 'Z'}`);
}
