/** Most tests run in Node; a file whose first comment says so runs in a document. */
import { defineConfig } from 'vitest/config';

/** Long enough for a machine that is busy with other tests, too. */
const testTimeout = 120_000;

export default defineConfig({
  test: {
    include: ['{build,src}/**/*.test.{ts,tsx}'],
    maxWorkers: '100%',
    // A document and the packages for each file anew would take longer than the tests.
    isolate: false,
    testTimeout,
    hookTimeout: testTimeout,
  },
});
