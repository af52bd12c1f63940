/** The `test` of all journeys: an engine and a program for each worker, a fresh visitor for each test. */
import { test as base, expect } from '@playwright/test';
import type { App } from '../support/app.ts';
import { sharedApp } from '../support/test.ts';
import type { Engine } from './engine.ts';
import { startFirefox } from './firefox.ts';
import { TestProxy } from './proxy.ts';
import { Visitor } from './visitor.ts';
import { startWebKit } from './webkit.ts';

const starts = { firefox: startFirefox, webkit: startWebKit };

/** What a project chooses. */
export type EngineOptions = { engineName: keyof typeof starts };

type WorkerFixtures = EngineOptions & { app: App; engine: Engine };
type TestFixtures = { visitor: Visitor };

export const test = base.extend<TestFixtures, WorkerFixtures>({
  engineName: ['firefox', { scope: 'worker', option: true }],

  ...sharedApp,

  engine: [
    async ({ engineName }, use) => {
      const engine = await starts[engineName]();
      await use(engine);
      await engine.close();
    },
    { scope: 'worker' },
  ],

  visitor: async ({ engine, app }, use) => {
    await visit(engine, await TestProxy.start(app.url), use);
  },
});

/** A fresh visitor behind a proxy, which stops with it. */
export async function visit(
  engine: Engine,
  proxy: TestProxy,
  use: (visitor: Visitor) => Promise<void>,
) {
  const tab = await engine.open();
  try {
    const visitor = new Visitor(tab, proxy);
    await visitor.resize(1280, 800);
    await use(visitor);
    expect(await visitor.complaints(), 'what the browser complained about').toEqual([]);
  } finally {
    await proxy.stop();
    await tab.close();
  }
}

export { expect };
