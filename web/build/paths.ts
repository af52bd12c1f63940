/**
 * Where things lie. Content and output can be elsewhere, so that a test can
 * build changed content without touching the real one.
 */
import { fileURLToPath } from 'node:url';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export const paths = {
  web: at('../'),
  dist: process.env.FRONTDOOR_WEB_DIST ?? at('../dist/'),
  cache: process.env.FRONTDOOR_WEB_CACHE ?? at('../.cache/'),
  pictures: at('../pictures/'),
  content: process.env.FRONTDOOR_CONTENT ?? at('../../content/'),
};

/**
 * When the site is built: a coming day's posts wait, and `security.txt` ends a year later. Who builds a
 * package says when its commit was made, in the variable that all such tools know: every build of it has
 * the same bytes, on whatever day.
 */
export function buildDate(): Date {
  const seconds = process.env.SOURCE_DATE_EPOCH;
  return seconds ? new Date(Number(seconds) * 1000) : new Date();
}
