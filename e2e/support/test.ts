/** The `test` of all browser tests: one program per worker, more on request; a page that complains fails. */
import { type BrowserContext, test as base, expect, type Fixtures } from '@playwright/test';
import { frozen } from '../../web/build/testing/frozen.ts';
import { App, type Env } from './app.ts';

/** The errors of the console and of scripts, in any page of a context. */
class Problems {
  #seen: string[] = [];
  #expected: RegExp[] = [];

  constructor(context: BrowserContext) {
    context.on('console', (message) => {
      // A violated Content-Security-Policy is an error of the console too.
      if (message.type() === 'error')
        this.#seen.push(`${message.text()} (${message.location().url})`);
    });
    context.on('weberror', (webError) => this.#seen.push(String(webError.error())));
  }

  /** Names an error that this test provokes. It must occur at least once. */
  expect(pattern: RegExp) {
    this.#expected.push(pattern);
  }

  check() {
    const unexpected = this.#seen.filter((text) => !this.#expected.some((one) => one.test(text)));
    expect(unexpected, 'what the browser complained about').toEqual([]);
    const missing = this.#expected.filter((one) => !this.#seen.some((text) => one.test(text)));
    expect(missing, 'expected complaints that did not come').toEqual([]);
  }
}

type TestFixtures = {
  /** Starts a program of this test's own, with settings of its own. */
  startApp: (env?: Env) => Promise<App>;
  problems: Problems;
};

/** One program for all tests of a worker. */
export const sharedApp: Fixtures<object, { app: App }> = {
  app: [
    // biome-ignore lint/correctness/noEmptyPattern: the fixture's signature.
    async ({}, use) => {
      const app = await App.start({ FRONTDOOR_SITE: frozen.dist });
      await use(app);
      await app.dispose();
    },
    { scope: 'worker' },
  ],
};

export const test = base.extend<TestFixtures, { app: App }>({
  ...sharedApp,

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
      problems.check();
    },
    { auto: true },
  ],
});

export { expect };
