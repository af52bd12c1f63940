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
