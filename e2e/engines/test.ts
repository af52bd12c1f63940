/** The `test` of all journeys: a browser and a program for each worker, a fresh visitor for each test. */
import { test as base, expect } from '@playwright/test';
import type { App } from '../support/app.ts';
import { sharedApp } from '../support/test.ts';
import { startFirefox } from './firefox.ts';
import { TestProxy } from './proxy.ts';
import { type Tab, Visitor } from './visitor.ts';
import { startWebKit } from './webkit.ts';

const starts = { firefox: startFirefox, webkit: startWebKit };

/** What a project chooses. */
export type EngineOptions = { engineName: keyof typeof starts };

type WorkerFixtures = EngineOptions & { app: App; tab: Tab };
type TestFixtures = { visitor: Visitor };

export const test = base.extend<TestFixtures, WorkerFixtures>({
  engineName: ['firefox', { scope: 'worker', option: true }],

  ...sharedApp,

  tab: [
    async ({ engineName }, use) => {
      const tab = await starts[engineName]();
      await use(tab);
      await tab.close();
    },
    { scope: 'worker' },
  ],

  visitor: async ({ tab, app }, use) => {
    await visit(tab, await TestProxy.start(app.url), use);
  },
});

/**
 * A fresh visitor behind a proxy, which stops with it. Each proxy is an origin of its own, so visitors share no storage
 * but cookies, and only the desk sets one.
 */
export async function visit(tab: Tab, proxy: TestProxy, use: (visitor: Visitor) => Promise<void>) {
  try {
    const visitor = new Visitor(tab, proxy);
    await visitor.resize(1280, 800);
    await use(visitor);
    expect(await visitor.complaints(), 'what the browser complained about').toEqual([]);
  } finally {
    await proxy.stop();
  }
}

export { expect };
