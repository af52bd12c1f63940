/** Tests of the real program: all in Chromium, the main journeys in Firefox and WebKit too (engines/test.ts). */
import { fileURLToPath } from 'node:url';
import { defineConfig } from '@playwright/test';
import type { EngineOptions } from './engines/test.ts';
import { engineOptions } from './support/browser.ts';

/** Besides the fonts of the pages, every browser has only this one, whichever the machine has. */
process.env.FONTCONFIG_FILE = fileURLToPath(new URL('fonts/arimo.conf', import.meta.url));

/** One worker for each engine, so that each browser starts once; they run beside Chromium's tests. */
const engines = { testDir: 'engines', workers: 1, timeout: 240_000, expect: { timeout: 60_000 } };

export default defineConfig<object, EngineOptions>({
  outputDir: 'test-results',
  forbidOnly: true,
  retries: 0,
  workers: Number(process.env.E2E_WORKERS ?? 3),
  // Long enough for a busy machine.
  timeout: 240_000,
  expect: { timeout: 30_000 },
  reporter: 'list',
  use: { locale: 'en-CA', trace: 'off' },
  projects: [
    // First, as a long file must not be the last to end.
    { name: 'firefox', ...engines, use: { engineName: 'firefox' } },
    { name: 'webkit', ...engines, use: { engineName: 'webkit' } },
    {
      name: 'chromium',
      testDir: 'tests',
      fullyParallel: true,
      use: {
        browserName: 'chromium',
        launchOptions: engineOptions,
        reducedMotion: 'reduce',
        viewport: { width: 1440, height: 900 },
      },
    },
  ],
});
