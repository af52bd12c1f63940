/** Browser tests against the real binary; each worker starts its own (support/test.ts). */
import { defineConfig } from '@playwright/test';
import { still } from './support/browser.ts';

export default defineConfig({
  testDir: 'tests',
  outputDir: 'test-results',
  fullyParallel: true,
  forbidOnly: true,
  retries: 0,
  workers: Number(process.env.E2E_WORKERS ?? 2),
  // Room for a machine that is busy with other things.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  reporter: 'list',
  use: {
    browserName: 'chromium',
    ...still,
    viewport: { width: 1440, height: 900 },
    locale: 'en-CA',
    trace: 'off',
  },
});
