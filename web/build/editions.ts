/**
 * Posts of days to come: a release has the site as it is today, and once more for each day on which posts
 * come out. The server changes to it when the day begins, without a build.
 */
import type { Content } from '../src/content/types.ts';
import type { InternalLink } from './content-reader.ts';
import { ContentError } from './mistakes.ts';
import { categoriesOf } from './posts.ts';

/** Each makes the release larger, and the build longer. */
const mostDays = 12;

/** Each has its content and the links in it, `from` the beginning of its day in UTC; the first has none. */
export function editions(content: Content, links: InternalLink[], now: Date) {
  const zone = content.site.time_zone;
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(now);
  const days = content.posts.map(({ date }) => date).filter((date) => date > today);
  const coming = [...new Set(days)].sort();
  if (coming.length > mostDays) {
    const message = `at most ${mostDays} days to come may have posts, these are ${coming.length}`;
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
    ...coming.map((day) => ({ from: startOfDay(day, zone), ...upTo(day) })),
  ];
}

export function startOfDay(day: string, zone: string): string {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // The offset there and then: that of the day before may be another one.
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
