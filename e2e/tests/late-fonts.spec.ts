/** Fonts that come late take the place of others of the same measure: what a visitor reads stays where it is. */
import { pages } from '../support/routes.ts';
import { expect, test } from '../support/test.ts';

/** Half of what search engines still call good; lines at the edge of breaking may break otherwise. */
const most = 0.05;

for (const width of [360, 1440]) {
  test(`no page moves at ${width} when its fonts come late`, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 });
    await page.addInitScript(() => {
      const seen = { shift: 0, painted: false };
      Object.assign(window, { seen });
      const observe = (type: string, note: (entry: PerformanceEntry) => void) =>
        new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({
          type,
          buffered: true,
        });
      observe('layout-shift', (entry) => {
        seen.shift += (entry as PerformanceEntry & { value: number }).value;
      });
      observe('paint', () => {
        seen.painted = true;
      });
    });
    type Seen = { seen: { shift: number; painted: boolean } };
    const asked: (() => void)[] = [];
    await page.route('**/*.woff2', async (route) => {
      await new Promise<void>((come) => asked.push(come));
      await route.continue();
    });
    for (const path of pages) {
      await page.goto(path, { waitUntil: 'commit' });
      await page.waitForFunction(() => (window as unknown as Seen).seen.painted);
      await expect.poll(() => asked.length).toBe(2);
      for (const come of asked.splice(0)) come();
      await page.waitForFunction(() => {
        const own = [...document.fonts].filter(({ family }) => /^"?(Display|Text)"?$/.test(family));
        return own.length === 2 && own.every(({ status }) => status === 'loaded');
      });
      // Told after the frame in which it happened.
      const shift = await page.evaluate(
        () =>
          new Promise<number>((done) =>
            requestAnimationFrame(() =>
              setTimeout(() => done((window as unknown as Seen).seen.shift), 100),
            ),
          ),
      );
      expect.soft(shift, `${path} at ${width}`).toBeLessThan(most);
    }
  });
}
