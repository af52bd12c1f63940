/** What moves for longer than a moment can be stopped, and stays so in the tab. */
import type { Page } from '@playwright/test';
import { still, withMotion } from '../support/browser.ts';
import { alive, noteAsked, observed, open } from '../support/page.ts';
import { expect, test } from '../support/test.ts';

// A small screen: without a graphics card every moving pixel takes its time.
test.use({ ...withMotion, viewport: { width: 1024, height: 640 } });

const control = (page: Page, name: string) =>
  page.locator('main').getByRole('button', { name, exact: true });
const inFooter = (page: Page, name: string) =>
  page.locator('footer').getByRole('button', { name, exact: true });

async function expectMoving(page: Page, moving: boolean) {
  await expect(page.locator('canvas')).toHaveAttribute('data-running', String(moving));
  for (const shape of await page.locator('main section').first().locator('> [data-width]').all())
    await expect(shape).toHaveCSS('animation-play-state', moving ? 'running' : 'paused');
}

test('a press stops particles and shapes, another lets them go on', async ({ page }) => {
  await open(page, '/');
  await expectMoving(page, true);
  await control(page, 'Pause motion').click();
  await expectMoving(page, false);
  await expect(inFooter(page, 'Play motion')).toBeVisible();
  await control(page, 'Play motion').click();
  await expectMoving(page, true);
  await expect(inFooter(page, 'Pause motion')).toBeVisible();
});

test('it is reached and pressed by keyboard', async ({ page }) => {
  await open(page, '/');
  await expectMoving(page, true);
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

test('a press ends a scene that plays, another starts it again', async ({ page }) => {
  const asked = noteAsked(page);
  await open(page, '/contact');
  const map = page.locator('main figure [data-scene]');
  await map.evaluate((image) => image.scrollIntoView({ behavior: 'instant', block: 'center' }));
  await expect(map).toHaveAttribute('data-scene', 'playing');
  // By script: going to the footer would take the map off the screen.
  const press = (name: string) =>
    inFooter(page, name).evaluate((button) => (button as HTMLElement).click());
  await press('Pause motion');
  await expect(map).toHaveAttribute('data-scene', '');
  await expect(page.locator('[data-scene-overlay]')).toHaveCount(0);
  await observed(map);
  expect(asked).toHaveLength(1);
  await press('Play motion');
  await expect(map).toHaveAttribute('data-scene', 'playing');
});

test('it is remembered on the next pages of the tab, and nowhere else', async ({
  page,
  context,
}) => {
  await open(page, '/');
  await control(page, 'Pause motion').click();
  await page.locator('header').getByRole('link', { name: 'Contact', exact: true }).first().click();
  await expect(page).toHaveTitle(/Contact/);
  await expect(inFooter(page, 'Play motion')).toBeVisible();
  await page.reload();
  await alive(page);
  await expect(inFooter(page, 'Play motion')).toBeVisible();
  const asked = noteAsked(page);
  const map = page.locator('main figure [data-scene]');
  await map.evaluate((image) => image.scrollIntoView({ behavior: 'instant', block: 'center' }));
  await observed(map);
  expect(asked).toEqual([]);
  await open(page, '/');
  await expectMoving(page, false);
  const other = await context.newPage();
  await open(other, '/');
  await expectMoving(other, true);
});

test.describe('with reduced motion', () => {
  test.use({ contextOptions: still.contextOptions });

  test('there is nothing to stop, and no control', async ({ page }) => {
    await open(page, '/');
    await expect(page.locator('[data-pause-motion]')).toHaveCount(2);
    for (const button of await page.locator('[data-pause-motion]').all())
      await expect(button).toBeHidden();
  });
});

test.describe('without scripts', () => {
  test.use({ contextOptions: { ...withMotion.contextOptions, javaScriptEnabled: false } });

  test('nothing goes on for ever, so there is no control', async ({ page }) => {
    await page.goto('/');
    await expect(page.locator('[data-pause-motion]')).toHaveCount(2);
    for (const button of await page.locator('[data-pause-motion]').all())
      await expect(button).toBeHidden();
    for (const shape of await page.locator('[data-width]').all())
      await expect(shape).toHaveCSS('animation-play-state', 'paused');
  });
});
