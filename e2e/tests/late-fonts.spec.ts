/** Fonts that come after the first paint: the page stays as it is, in whichever font the machine has. */
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from '@playwright/test';
import { still } from '../support/browser.ts';
import { alive, fontsOf, markDocument, sameDocument } from '../support/page.ts';
import { faults, wholePage } from '../support/rendered.ts';
import { pages } from '../support/routes.ts';
import { expect, test } from '../support/test.ts';

/** What most machines have; Arimo has the widths of Arial, Helvetica and Liberation Sans. */
const systemFonts = { arimo: 'Arimo', roboto: 'Roboto', dejavu: 'DejaVu Sans' };
const widths = [360, 1440];
const words = ['main h1', 'main p'];

type Seen = { seen: { shift: () => number; painted: boolean } };

/** Opens pages whose fonts come when they have been painted. */
async function lateFonts(page: Page): Promise<(url: string) => Promise<void>> {
  await page.addInitScript(() => {
    let shift = 0;
    const add = (entries: PerformanceEntry[]) => {
      for (const entry of entries) shift += (entry as PerformanceEntry & { value: number }).value;
    };
    const shifts = new PerformanceObserver((list) => add(list.getEntries()));
    shifts.observe({ type: 'layout-shift', buffered: true });
    const seen = {
      painted: false,
      shift: () => {
        add(shifts.takeRecords());
        return shift;
      },
    };
    Object.assign(window, { seen });
    const paints = new PerformanceObserver(() => {
      seen.painted = true;
    });
    paints.observe({ type: 'paint', buffered: true });
  });
  const asked: (() => void)[] = [];
  await page.route('**/*.woff2', async (route) => {
    await new Promise<void>((come) => asked.push(come));
    await route.continue();
  });
  return async (url) => {
    await page.goto(url, { waitUntil: 'commit' });
    await page.waitForFunction(() => (window as unknown as Seen).seen.painted);
    await expect.poll(() => asked.length).toBe(2);
    for (const come of asked.splice(0)) come();
    await page.waitForFunction(
      () =>
        document.fonts.size === 2 && [...document.fonts].every(({ status }) => status === 'loaded'),
    );
  };
}

/** All that moved by itself until the next frame is shown. */
const shift = (page: Page) =>
  page.evaluate(async () => {
    for (let frames = 0; frames < 2; frames += 1) await new Promise(requestAnimationFrame);
    return (window as unknown as Seen).seen.shift();
  });

for (const [file, name] of Object.entries(systemFonts)) {
  test(`every page stays as it is, and is whole, in ${name}`, async ({ app }) => {
    const config = fileURLToPath(new URL(`../fonts/${file}.conf`, import.meta.url));
    const env = { ...process.env, FONTCONFIG_FILE: config };
    const browser = await chromium.launch({ ...still.launchOptions, env });
    const page = await browser.newPage(still.contextOptions);
    const openLate = await lateFonts(page);
    for (const path of pages) {
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 });
        await openLate(app.url + path);
        expect.soft(await shift(page), `${path} at ${width}`).toBe(0);
      }
      for (const selector of words) expect(await fontsOf(page, selector)).toContain(name);
      await alive(page);
      await wholePage(page);
      for (const width of widths.toReversed()) {
        await page.setViewportSize({ width, height: 900 });
        expect.soft(await faults(page), `${path} at ${width}`).toEqual([]);
      }
    }
    await browser.close();
  });
}

test('the next page has the fonts that came too late for this one', async ({ page }) => {
  const openLate = await lateFonts(page);
  await openLate('/');
  await alive(page);
  await markDocument(page);
  for (const selector of words) expect(await fontsOf(page, selector)).toContain('Arimo');
  await page.locator('header').getByRole('link', { name: 'About', exact: true }).first().click();
  await expect(page).toHaveTitle(/About/);
  for (const selector of words) await expect.poll(() => fontsOf(page, selector)).toBe('own');
  expect(await sameDocument(page)).toBe(true);
});
