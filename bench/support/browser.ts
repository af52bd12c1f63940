/**
 * A browser for what Lighthouse does not see: input and rest.
 *
 * e2e's page helpers stay there: they bring a second copy of Playwright's test
 * runner along, which refuses to be loaded twice.
 */
import { type Browser, type CDPSession, chromium, type Page } from '@playwright/test';
import { launchOptions } from '../../e2e/support/browser.ts';

export const startBrowser = (...more: string[]): Promise<Browser> =>
  chromium.launch({ ...launchOptions, args: [...(launchOptions.args ?? []), ...more] });

/** As if the system asked for it: what Playwright emulates does not reach into pictures. */
export const lessMotion = '--force-prefers-reduced-motion';

/** Opens a page and waits until its script listens and nothing more is to do. */
export async function openReady(page: Page, url: string) {
  await page.goto(url);
  await page.waitForFunction(() => 'alive' in document.documentElement.dataset);
  await idle(page);
}

/** The page has had its turn with all it had to do at once. */
export const idle = (page: Page) =>
  page.evaluate(
    () => new Promise<void>((done) => requestIdleCallback(() => done(), { timeout: 2000 })),
  );

export async function slowDown(page: Page, rate: number) {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate });
}

export type Load = {
  /** The share of time the page's main thread is at work, in percent: waiting for a core counts. */
  busy: number;
  /** The share it really computes, whatever else the machine does. */
  computing: number;
};

export async function mainThreadLoad(page: Page, seconds: number): Promise<Load> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const before = await metrics(session);
  await page.waitForTimeout(1000 * seconds);
  const after = await metrics(session);
  await session.detach();
  const share = (name: string) =>
    (100 * (after(name) - before(name))) / (after('Timestamp') - before('Timestamp'));
  return { busy: share('TaskDuration'), computing: share('ThreadTime') };
}

async function metrics(session: CDPSession): Promise<(name: string) => number> {
  const { metrics } = await session.send('Performance.getMetrics');
  const values = new Map(metrics.map(({ name, value }) => [name, value]));
  return (name) => values.get(name) ?? Number.NaN;
}
