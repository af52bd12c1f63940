/**
 * The `test` all browser tests use: one running program per worker, more on
 * request, and a page whose every complaint fails the test.
 */
import { test as base, expect } from '@playwright/test';
import { frozen } from '../../web/build/testing/frozen.ts';
import { App, type Env } from './app.ts';
import { Problems } from './problems.ts';

type TestFixtures = {
  /** Starts a program of this test's own, with settings of its own. */
  startApp: (env?: Env) => Promise<App>;
  /** Console errors, page errors and CSP violations; name those a test provokes. */
  problems: Problems;
};

type WorkerFixtures = { app: App };

export const test = base.extend<TestFixtures, WorkerFixtures>({
  app: [
    // biome-ignore lint/correctness/noEmptyPattern: the fixture's signature.
    async ({}, use) => {
      const app = await App.start({ FRONTDOOR_SITE: frozen.dist });
      await use(app);
      await app.dispose();
    },
    { scope: 'worker' },
  ],

  baseURL: async ({ app }, use) => {
    await use(app.url);
  },

  // biome-ignore lint/correctness/noEmptyPattern: the fixture's signature.
  startApp: async ({}, use) => {
    const started: App[] = [];
    await use(async (env) => {
      const app = await App.start({ FRONTDOOR_SITE: frozen.dist, ...env });
      started.push(app);
      return app;
    });
    await Promise.all(started.map((app) => app.dispose()));
  },

  problems: [
    async ({ context }, use) => {
      const problems = new Problems(context);
      await use(problems);
      expect(problems.unexpected(), 'what the browser complained about').toEqual([]);
      expect(problems.missing(), 'expected complaints that did not come').toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };
