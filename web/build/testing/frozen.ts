/**
 * Tests read content of their own in place of the owner's, which may change, and the site that
 * `make web-for-tests` builds from it.
 */
import { fileURLToPath } from 'node:url';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export const frozen = {
  content: at('../../../tests/content/'),
  dist: at('../../dist/tests/'),
};
