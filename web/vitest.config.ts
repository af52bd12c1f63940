/** Build code is tested in Node, pages in a document. */
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

/** Long enough for a machine that is busy with other tests, too. */
const testTimeout = 120_000;

/** A document and the packages for each file anew would take longer than the tests; what they share is left clean. */
const shared = { isolate: false, testTimeout, hookTimeout: testTimeout };

export default defineConfig({
  test: {
    maxWorkers: '100%',
    projects: [
      {
        test: { ...shared, name: 'build', environment: 'node', include: ['build/**/*.test.ts'] },
      },
      {
        plugins: [react()],
        test: {
          ...shared,
          name: 'src',
          environment: 'happy-dom',
          setupFiles: 'build/testing/clean-document.ts',
          include: ['src/**/*.test.{ts,tsx}'],
        },
      },
    ],
  },
});
