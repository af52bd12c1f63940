/** What comes after the first paint moves nothing: late fonts, and sections and pictures far from the screen. */
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from '@playwright/test';
import {
  alive,
  barLink,
  fontsOf,
  Gate,
  jumpTo,
  layOut,
  markDocument,
  open,
  sameDocument,
  settled,
  withoutFonts,
} from '../support/page.ts';
import { expectWhole } from '../support/rendered.ts';
import { kinds, postSlugs } from '../support/routes.ts';
import { expect, test } from '../support/test.ts';

const words = ['main h1', 'main p'];

test('every kind of page is whole in the widest common font of a system', async () => {
  const config = fileURLToPath(new URL('../fonts/dejavu.conf', import.meta.url));
  const env = { ...process.env, FONTCONFIG_FILE: config };
  const browser = await chromium.launch({ env });
  const context = await browser.newContext();
  await withoutFonts(context);
  const page = await context.newPage();
  for (const path of kinds) {
    await open(page, path);
    for (const selector of words) expect(await fontsOf(page, selector)).toContain('DejaVu Sans');
    await expectWhole(page, path, [360, 1440]);
  }
  await browser.close();
});

type Seen = { seen: { shift: number; painted: boolean } };

test('fonts that come after the first paint move nothing, and the next page has them', async ({
  page,
}) => {
  await page.addInitScript(() => {
    const seen = { painted: false, shift: 0 };
    Object.assign(window, { seen });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        seen.shift += (entry as PerformanceEntry & { value: number }).value;
    }).observe({ type: 'layout-shift', buffered: true });
    new PerformanceObserver(() => {
      seen.painted = true;
    }).observe({ type: 'paint', buffered: true });
  });
  const requested: (() => void)[] = [];
  await page.route('**/*.woff2', async (route) => {
    await new Promise<void>((release) => requested.push(release));
    await route.continue();
  });
  for (const [path, width] of [
    ['/about', 360],
    ['/', 1440],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(path, { waitUntil: 'commit' });
    await page.waitForFunction(() => (window as unknown as Seen).seen.painted);
    await expect.poll(() => requested.length).toBe(2);
    for (const release of requested.splice(0)) release();
    await page.waitForFunction(
      () =>
        document.fonts.size === 2 && [...document.fonts].every(({ status }) => status === 'loaded'),
    );
    await alive(page);
    expect(await page.evaluate(() => (window as unknown as Seen).seen.shift), path).toBe(0);
    for (const selector of words) expect(await fontsOf(page, selector)).toContain('Arimo');
  }
  await markDocument(page);
  await barLink(page, 'About').click();
  await expect(page).toHaveTitle(/About/);
  for (const selector of words) await expect.poll(() => fontsOf(page, selector)).toBe('own');
  expect(await sameDocument(page)).toBe(true);
});

const height = (page: Page) => page.evaluate(() => document.documentElement.scrollHeight);

/** How many parts of the page wait to be laid out until they come near. */
const waiting = (page: Page) =>
  page
    .locator('main > section, main [data-prose] > *')
    .evaluateAll(
      (all) => all.filter((part) => getComputedStyle(part).contentVisibility === 'auto').length,
    );

test('parts far down the page wait until it is idle; then it has its full height', async ({
  page,
}) => {
  for (const path of ['/', '/services', '/about', '/privacy', `/blog/${postSlugs[0]}`]) {
    const gate = await Gate.before(page, '**/assets/*.js');
    await page.goto(path);
    expect(await waiting(page), path).toBeGreaterThan(2);
    gate.open();
    await expect.poll(() => waiting(page), path).toBe(0);
    const full = await height(page);
    await layOut(page);
    expect(await height(page), path).toBe(full);
    await page.unrouteAll({ behavior: 'wait' });
  }
});

test('the keyboard reaches what waits, and a link into the page lays out all of it', async ({
  page,
}) => {
  await Gate.before(page, '**/assets/*.js');
  await page.goto('/');
  const field = page.locator('main > section').last().locator('a, input, textarea').last();
  await field.evaluate((element) => (element as HTMLElement).focus());
  await expect(field).toBeInViewport();
  await page.goto('/services#business-automation');
  expect(await waiting(page)).toBe(0);
});

test('a page stands where it was left when it is loaded again or returned to', async ({
  page,
  context,
}) => {
  // Places on a page are compared with those after another load.
  await withoutFonts(context);
  const last = page.locator('main :is(h2, h3)').last();
  const place = async () => Math.round((await last.boundingBox())?.y ?? Number.NaN);
  await open(page, '/');
  await layOut(page);
  await jumpTo(page, Math.round((await height(page)) * 0.7));
  const left = await place();
  await page.reload();
  await expect.poll(place).toBe(left);
  await page.goto('about:blank');
  await page.goBack();
  await expect.poll(place).toBe(left);
  // Nor does it move as the page comes to rest.
  await expect(page.locator('html')).toHaveAttribute('data-alive', '');
  await settled(page);
  expect(await place()).toBe(left);
});

test('on a phone, pictures that come late have their room kept free', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  for (const path of ['/', '/blog']) {
    await open(page, path);
    const pictures = page.locator('[data-late]');
    const rooms = () => pictures.evaluateAll((all) => all.map((box) => box.clientHeight));
    const before = await rooms();
    expect(before.length).toBeGreaterThan(2);
    await pictures.evaluateAll((all) => {
      for (const box of all as HTMLElement[]) box.style.contentVisibility = 'visible';
    });
    expect(await rooms(), path).toEqual(before);
  }
});
