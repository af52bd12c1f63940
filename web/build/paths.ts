/** Where things lie, from the repository's root. */
import { fileURLToPath } from 'node:url';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export const paths = {
  web: at('../'),
  dist: at('../dist/'),
  cache: at('../.cache/'),
  pictures: at('../pictures/'),
  content: at('../../content/'),
};
