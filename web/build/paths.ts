/** Where things are. Tests have content and output of their own. */
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
 * The day of the build: later posts wait, and `security.txt` expires a year after it. Packages are built with the time
 * of their commit, in the variable that such tools share, so that every build of one has the same bytes.
 */
export function buildDate(): Date {
  const seconds = process.env.SOURCE_DATE_EPOCH;
  return seconds ? new Date(Number(seconds) * 1000) : new Date();
}
