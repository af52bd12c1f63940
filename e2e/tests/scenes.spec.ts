/** Drawn scenes play where they are seen; whatever moves for longer than a moment can be stopped, and stays so in the tab. */
import type { Locator, Page } from '@playwright/test';
import { moving } from '../support/browser.ts';
import { alive, barLink, bringOnScreen, observed, open, settled } from '../support/page.ts';
import { postSlugs } from '../support/routes.ts';
import { expect, test } from '../support/test.ts';

test.use(moving);

/** Collects requests for scenes from now on: a scene is requested before it plays. */
function recordSceneRequests(page: Page): string[] {
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'fetch') asked.push(request.url());
  });
  return asked;
}

const map = (page: Page) => page.locator('main figure [data-scene]');
const stage = (page: Page) => page.locator('main figure [data-scene-overlay]');
const isPlaying = (picture: Locator) => expect(picture).toHaveAttribute('data-scene', 'playing');

test('a scene plays in the place of its picture and follows its size; a press or its end leaves the picture as it was', async ({
  page,
}) => {
  const sceneRequests = recordSceneRequests(page);
  await open(page, '/contact');
  await expect(map(page)).toBeAttached();
  await expect(stage(page)).toHaveCount(0);
  await bringOnScreen(map(page));
  await expect(stage(page)).toHaveCount(1);
  const playing = await stage(page).evaluate(
    (host) => host.shadowRoot?.getAnimations().map((each) => each.playState) ?? [],
  );
  expect(playing.length).toBeGreaterThan(3);
  expect(new Set(playing)).toEqual(new Set(['running']));
  await expect(map(page)).toHaveCSS('opacity', '0');
  const expectInPlace = () =>
    expect(async () => {
      const [picture, cover] = [await map(page).boundingBox(), await stage(page).boundingBox()];
      for (const side of ['x', 'y', 'width', 'height'] as const)
        expect(Math.abs((picture?.[side] ?? 0) - (cover?.[side] ?? 99)), side).toBeLessThan(1.01);
    }).toPass();
  await expectInPlace();
  await page.setViewportSize({ width: 700, height: 800 });
  await expectInPlace();
  await bringOnScreen(map(page));
  const expectEnded = async () => {
    await expect(map(page)).toHaveAttribute('data-scene', '');
    await expect(stage(page)).toHaveCount(0);
    await expect(map(page)).toHaveCSS('opacity', '1');
  };

  // By script: going to the footer would take the map off the screen.
  const press = (name: string) =>
    inFooter(page, name).evaluate((button) => (button as HTMLElement).click());
  await press('Pause motion');
  await expectEnded();
  await observed(map(page));
  expect(sceneRequests).toEqual([expect.stringMatching(/ontario.*\.svg$/)]);
  await press('Play motion');
  await isPlaying(map(page));

  const asked = sceneRequests.length;
  await stage(page).evaluate((host) => {
    for (const motion of host.shadowRoot?.getAnimations() ?? []) motion.finish();
  });
  await expectEnded();
  await page.evaluate(() => window.scrollTo({ top: 0, behavior: 'instant' }));
  await observed(map(page));
  await bringOnScreen(map(page));
  expect(sceneRequests).toHaveLength(asked);
});

test('a scene that is scrolled past comes to its end all the same', async ({ page }) => {
  await open(page, '/');
  const picture = page.locator('main article [data-scene]').first();
  const onStage = page.locator('main article [data-scene-overlay]').first();
  await bringOnScreen(picture);
  await isPlaying(picture);
  await onStage.evaluate((host) => {
    // Time enough for the section to be passed over.
    for (const motion of host.shadowRoot?.getAnimations() ?? [])
      motion.currentTime = Number(motion.effect?.getComputedTiming().endTime) - 1000;
    window.scrollTo({ top: document.body.scrollHeight, behavior: 'instant' });
  });
  await expect(picture).toHaveAttribute('data-scene', '');
});

test('every scene of a page plays, whichever way the page was reached, nothing shifts, and all rest when the system asks for less motion', async ({
  page,
}) => {
  await page.addInitScript(() => {
    const shifts: PerformanceEntry[] = [];
    Object.assign(window, { shifts });
    const observer = new PerformanceObserver((list) => shifts.push(...list.getEntries()));
    observer.observe({ type: 'layout-shift', buffered: true });
  });
  const shifts = () =>
    page.evaluate(() =>
      (window as unknown as { shifts: PerformanceEntry[] }).shifts.map((shift) => shift.toJSON()),
    );
  const playAll = async (path: string) => {
    const pictures = await page.locator('main [data-scene]').all();
    expect(pictures.length, path).toBeGreaterThan(0);
    for (const picture of pictures) {
      await bringOnScreen(picture);
      await isPlaying(picture);
    }
    await settled(page);
    expect(await shifts(), path).toEqual([]);
  };
  for (const path of ['/about', '/blog', `/blog/${postSlugs[0]}`]) {
    await open(page, path);
    await playAll(path);
  }
  await barLink(page, 'Services').click();
  await expect(page).toHaveTitle(/Services/);
  await expect(page.locator('main [data-scene]')).toHaveCount(3);
  await playAll('/services');
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await expect(page.locator('main [data-scene-overlay]')).toHaveCount(0);
});

const control = (page: Page, name: string) =>
  page.locator('main').getByRole('button', { name, exact: true });
const inFooter = (page: Page, name: string) =>
  page.locator('footer').getByRole('button', { name, exact: true });

async function expectMoving(page: Page, moving: boolean) {
  await expect(page.locator('canvas')).toHaveAttribute('data-running', String(moving));
  for (const shape of await page.locator('main section').first().locator('> [data-width]').all())
    await expect(shape).toHaveCSS('animation-play-state', moving ? 'running' : 'paused');
}

test('a press stops particles and shapes, another lets them go on, by keyboard too', async ({
  page,
}) => {
  await open(page, '/');
  await expectMoving(page, true);
  await control(page, 'Pause motion').click();
  await expectMoving(page, false);
  await expect(inFooter(page, 'Play motion')).toBeVisible();
  await control(page, 'Play motion').click();
  await expectMoving(page, true);
  await expect(inFooter(page, 'Pause motion')).toBeVisible();

  // It comes right after the hero's links.
  await page.locator('main section').first().getByRole('link').last().focus();
  await page.keyboard.press('Tab');
  await expect(control(page, 'Pause motion')).toBeFocused();
  await page.keyboard.press('Enter');
  await expectMoving(page, false);
  await expect(control(page, 'Play motion')).toBeFocused();
  await page.keyboard.press('Space');
  await expectMoving(page, true);
});

test('it is remembered on the next pages of the tab, and nowhere else', async ({
  page,
  context,
}) => {
  await open(page, '/');
  await control(page, 'Pause motion').click();
  await barLink(page, 'Contact').click();
  await expect(page).toHaveTitle(/Contact/);
  await expect(inFooter(page, 'Play motion')).toBeVisible();
  await page.reload();
  await alive(page);
  await expect(inFooter(page, 'Play motion')).toBeVisible();
  const sceneRequests = recordSceneRequests(page);
  await bringOnScreen(map(page));
  expect(sceneRequests).toEqual([]);
  await open(page, '/');
  await expectMoving(page, false);
  const other = await context.newPage();
  await open(other, '/');
  await expectMoving(other, true);
});
