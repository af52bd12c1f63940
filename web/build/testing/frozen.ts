/** Tests don't read the owner's content, which may change, but their own, and the site that `make web-for-tests` builds. */
import { fileURLToPath } from 'node:url';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export const frozen = {
  content: at('../../../tests/content/'),
  dist: at('../../dist/tests/'),
  /** A site with changed content, which `build.test.ts` makes. */
  own: at('../../dist/own/'),
};
