/** Conditions to wait for, and steps many tests share. */
import { expect, type Page } from '@playwright/test';

/** Opens a page and waits until its script has taken it over. */
export async function open(page: Page, path: string) {
  await page.goto(path);
  await hydrated(page);
}

/** React has attached itself, and its effects have had their turn. */
export async function hydrated(page: Page) {
  await page.waitForFunction(() => {
    const main = document.getElementById('main');
    return main && Object.keys(main).some((key) => key.startsWith('__reactFiber'));
  });
  await page.evaluate(() => new Promise((done) => requestIdleCallback(done, { timeout: 2000 })));
}

/** Time passes only as the test says. The page must be up: starting it takes time of its own. */
export async function stopClock(page: Page) {
  const start = new Date('2026-11-15T10:00:00Z');
  await page.clock.install({ time: start });
  await page.clock.pauseAt(new Date(start.getTime() + 600_000));
}

/** Long enough for whatever the last event starts: a scroll, an observer, a style. */
export async function frames(page: Page, count = 4) {
  await page.evaluate(async (left) => {
    for (; left > 0; left -= 1) await new Promise(requestAnimationFrame);
  }, count);
}

export const scrollY = (page: Page) => page.evaluate(() => window.scrollY);

/** Jumps down the page, without the smooth way there. */
export async function jumpTo(page: Page, top: number) {
  await page.evaluate((y) => window.scrollTo({ top: y, behavior: 'instant' }), top);
  await expect.poll(() => scrollY(page)).toBe(top);
  await frames(page, 2);
}

/** Notes every position the page scrolls through from now on. */
export async function noteScrolling(page: Page) {
  await page.evaluate(() => {
    const positions: number[] = [];
    Object.assign(window, { positions });
    addEventListener('scroll', () => positions.push(window.scrollY));
  });
}

export const scrolledThrough = (page: Page) =>
  page.evaluate(() => (window as unknown as { positions: number[] }).positions);

/** Leaves a mark that only a load of a new document removes. */
export const markDocument = (page: Page) =>
  page.evaluate(() => void Object.assign(window, { sameDocument: true }));

export const sameDocument = (page: Page) => page.evaluate(() => 'sameDocument' in window);
