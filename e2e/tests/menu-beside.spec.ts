/** Between phone and desktop the open menu leaves a part of the page in sight. */
import type { Page } from '@playwright/test';
import { jumpTo, open, scrollY, settled } from '../support/page.ts';
import { expect, test } from '../support/test.ts';

test.use({ viewport: { width: 800, height: 700 }, hasTouch: true });

const menu = (page: Page) => page.locator('#menu');

async function openMenu(page: Page) {
  await page.getByRole('button', { name: 'Open menu' }).click();
  await expect(menu(page)).toHaveCSS('translate', /^0(px)?( 0px)?$/);
}

/** A link of the page in the part that the menu leaves in sight, under the finger. */
async function linkBeside(page: Page) {
  await page.evaluate(() => {
    const link = document.createElement('a');
    link.id = 'beside';
    link.href = '/pricing';
    link.textContent = 'A link beside the menu';
    Object.assign(link.style, { position: 'fixed', top: '300px', left: '100px', zIndex: '5' });
    document.getElementById('main')?.append(link);
  });
  const box = await page.locator('#beside').boundingBox();
  if (!box) throw new Error('the link is not on screen');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

const presses = {
  tap: (page: Page, x: number, y: number) => page.touchscreen.tap(x, y),
  click: (page: Page, x: number, y: number) => page.mouse.click(x, y),
};

for (const [name, press] of Object.entries(presses)) {
  test(`a ${name} beside the open menu closes it and does nothing else`, async ({ page }) => {
    await open(page, '/privacy');
    await jumpTo(page, 300);
    const link = await linkBeside(page);
    for (const { x, y } of [link, { x: 20, y: 500 }]) {
      await openMenu(page);
      await press(page, x, y);
      await expect(menu(page)).toBeHidden();
      await settled(page);
      await expect(page).toHaveURL('/privacy');
      expect(await scrollY(page)).toBe(300);
    }
    // The next one is the page's own again.
    await press(page, link.x, link.y);
    await expect(page).toHaveURL('/pricing');
  });
}

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  for (const [name, press] of Object.entries(presses)) {
    test(`a ${name} beside the open menu does not reach the page`, async ({ page }) => {
      await page.goto('/privacy');
      const { x, y } = await linkBeside(page);
      await page.getByRole('button', { name: 'Open menu' }).click();
      await expect(menu(page)).toHaveCSS('translate', /^0(px)?( 0px)?$/);
      await press(page, x, y);
      await expect(menu(page)).toBeHidden();
      await expect(page).toHaveURL('/privacy');
      await press(page, x, y);
      await expect(page).toHaveURL('/pricing');
    });
  }
});
