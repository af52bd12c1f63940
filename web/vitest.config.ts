/** Build code is tested in Node, pages in a document. */
import { defineConfig } from 'vitest/config';

/** Long enough for a machine that is busy with other tests, too. */
const testTimeout = 120_000;

/** A document and the packages for each file anew would take longer than the tests. */
const shared = { isolate: false, testTimeout, hookTimeout: testTimeout };

export default defineConfig({
  test: {
    maxWorkers: '100%',
    projects: [
      {
        test: { ...shared, name: 'build', environment: 'node', include: ['build/**/*.test.ts'] },
      },
      {
        test: {
          ...shared,
          name: 'src',
          environment: 'happy-dom',
          include: ['src/**/*.test.{ts,tsx}'],
        },
      },
    ],
  },
});
