/** The drawn scenes: they play where they are seen, and leave the picture as it was. */
import type { Locator, Page } from '@playwright/test';
import { still, withMotion } from '../support/browser.ts';
import { noteAsked, observed, open, settled } from '../support/page.ts';
import { postSlugs } from '../support/routes.ts';
import { expect, test } from '../support/test.ts';

test.use(withMotion);

const map = (page: Page) => page.locator('main figure [data-scene]');
const stage = (page: Page) => page.locator('main figure [data-scene-overlay]');

async function bringOnScreen(picture: Locator) {
  await picture.evaluate((image) => image.scrollIntoView({ behavior: 'instant', block: 'center' }));
  await observed(picture);
}

/** Everything that moves on the stage. */
const motions = (onStage: Locator) =>
  onStage.evaluate((host) => host.shadowRoot?.getAnimations().map((each) => each.playState) ?? []);

test('a scene plays when its picture comes on screen, in its place', async ({ page }) => {
  await open(page, '/contact');
  await expect(map(page)).toBeAttached();
  await expect(stage(page)).toHaveCount(0);
  await bringOnScreen(map(page));
  await expect(stage(page)).toHaveCount(1);
  const playing = await motions(stage(page));
  expect(playing.length).toBeGreaterThan(3);
  expect(new Set(playing)).toEqual(new Set(['running']));
  await expect(map(page)).toHaveCSS('opacity', '0');
  const [picture, cover] = [await map(page).boundingBox(), await stage(page).boundingBox()];
  for (const side of ['x', 'y', 'width', 'height'] as const)
    expect(Math.abs((picture?.[side] ?? 0) - (cover?.[side] ?? 99)), side).toBeLessThanOrEqual(1);
});

test('a scene that has come to its end leaves the picture as it was, and plays no more', async ({
  page,
}) => {
  const asked = noteAsked(page);
  await open(page, '/contact');
  await bringOnScreen(map(page));
  await expect(stage(page)).toHaveCount(1);
  await stage(page).evaluate((host) => {
    for (const motion of host.shadowRoot?.getAnimations() ?? []) motion.finish();
  });
  await expect(stage(page)).toHaveCount(0);
  await expect(map(page)).toHaveCSS('opacity', '1');
  await page.evaluate(() => window.scrollTo({ top: 0, behavior: 'instant' }));
  await observed(map(page));
  await bringOnScreen(map(page));
  expect(asked).toEqual([expect.stringMatching(/ontario.*\.svg$/)]);
});

test('a scene that is scrolled past comes to its end all the same', async ({ page }) => {
  await open(page, '/');
  const picture = page.locator('main article [data-scene]').first();
  const onStage = page.locator('main article [data-scene-overlay]').first();
  await bringOnScreen(picture);
  await expect(picture).toHaveAttribute('data-scene', 'playing');
  await onStage.evaluate((host) => {
    // Time enough for the section to be passed over.
    for (const motion of host.shadowRoot?.getAnimations() ?? [])
      motion.currentTime = Number(motion.effect?.getComputedTiming().endTime) - 1000;
    window.scrollTo({ top: document.body.scrollHeight, behavior: 'instant' });
  });
  await expect(picture).toHaveAttribute('data-scene', '');
});

test('every scene of a page plays, whichever way the page was reached', async ({ page }) => {
  await open(page, '/');
  await page.locator('header').getByRole('link', { name: 'Services', exact: true }).first().click();
  await expect(page).toHaveTitle(/Services/);
  const pictures = await page.locator('main [data-scene]').all();
  expect(pictures.length).toBe(3);
  for (const picture of pictures) {
    await bringOnScreen(picture);
    await expect(picture).toHaveAttribute('data-scene', 'playing');
  }
});

test('a scene follows the size of its picture', async ({ page }) => {
  await open(page, '/contact');
  await bringOnScreen(map(page));
  await expect(stage(page)).toHaveCount(1);
  await page.setViewportSize({ width: 700, height: 800 });
  const width = async (element: Locator) => Math.round((await element.boundingBox())?.width ?? 0);
  const wide = await width(map(page));
  await expect.poll(async () => Math.abs((await width(stage(page))) - wide)).toBeLessThanOrEqual(1);
});

/** Notes every shift of the page that no input asked for, from its first paint on. */
async function noteShifts(page: Page): Promise<() => Promise<unknown[]>> {
  await page.addInitScript(() => {
    const shifts: PerformanceEntry[] = [];
    Object.assign(window, { shifts });
    const observer = new PerformanceObserver((list) => shifts.push(...list.getEntries()));
    observer.observe({ type: 'layout-shift', buffered: true });
  });
  return () =>
    page.evaluate(() =>
      (window as unknown as { shifts: PerformanceEntry[] }).shifts.map((shift) => shift.toJSON()),
    );
}

for (const path of ['/about', '/blog', `/blog/${postSlugs[0]}`]) {
  test(`nothing on ${path} shifts while its scenes play`, async ({ page }) => {
    const shifts = await noteShifts(page);
    await open(page, path);
    for (const picture of await page.locator('main [data-scene]').all()) {
      await bringOnScreen(picture);
      await expect(picture).toHaveAttribute('data-scene', 'playing');
      await settled(page);
    }
    expect(await shifts()).toEqual([]);
  });
}

test('a scene rests as soon as the system asks for less motion', async ({ page }) => {
  await open(page, '/contact');
  await bringOnScreen(map(page));
  await expect(stage(page)).toHaveCount(1);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await expect(stage(page)).toHaveCount(0);
  await expect(map(page)).toHaveCSS('opacity', '1');
});

test.describe('with reduced motion', () => {
  test.use({ contextOptions: still.contextOptions });

  test('no scene plays, nor is one asked for', async ({ page }) => {
    const asked = noteAsked(page);
    await open(page, '/contact');
    await bringOnScreen(map(page));
    expect(asked).toEqual([]);
    await expect(stage(page)).toHaveCount(0);
  });
});
