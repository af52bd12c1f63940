/** The slide-in menu of small screens, and what a press beside it does. */
import type { Page } from '@playwright/test';
import {
  Gate,
  jumpTo,
  middleOf,
  notePositions,
  open,
  positions,
  scrollY,
  settled,
} from '../support/page.ts';
import { navigation } from '../support/routes.ts';
import { site } from '../support/site.ts';
import { expect, test } from '../support/test.ts';

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

const menu = (page: Page) => page.locator('#menu');
const toggle = (page: Page) => page.getByRole('button', { name: /^(Open|Close) menu$/ });

async function openMenu(page: Page) {
  await toggle(page).click();
  await expect(menu(page)).toBeVisible();
  await expect(menu(page)).toHaveCSS('translate', /^0(px)?( 0px)?$/);
}

/** What assistive technology hears of the toggle: the browser knows it from the popover. */
async function isExpanded(page: Page): Promise<unknown> {
  const browser = await page.context().newCDPSession(page);
  const { root } = await browser.send('DOM.getDocument');
  const { nodeId } = await browser.send('DOM.querySelector', {
    nodeId: root.nodeId,
    selector: '[popovertarget=menu]',
  });
  const { nodes } = await browser.send('Accessibility.getPartialAXTree', {
    nodeId,
    fetchRelatives: false,
  });
  await browser.detach();
  return nodes[0]?.properties?.find(({ name }) => name === 'expanded')?.value.value;
}

test('the toggle opens and closes it and says so; in it are the six links and the booking button, and Tab never leaves it for the page behind', async ({
  page,
}) => {
  await open(page, '/about');
  await expect(menu(page)).toBeHidden();
  expect(await isExpanded(page)).toBe(false);
  await openMenu(page);
  expect(await isExpanded(page)).toBe(true);
  await expect(toggle(page)).toHaveAccessibleName('Close menu');
  const links = menu(page).getByRole('navigation').getByRole('link');
  await expect(links).toHaveText(navigation.map(({ name }) => name));
  await expect(menu(page).locator('[aria-current=page]')).toHaveText(['About']);
  const booking = menu(page).getByRole('link', { name: 'Book Free Strategy Call', exact: true });
  await expect(booking).toBeInViewport({ ratio: 1 });
  await expect(booking).toHaveAttribute('href', site.booking_url);
  await expect(booking).toHaveAttribute('target', '_blank');

  await toggle(page).focus();
  await expect(page.locator('main')).toHaveJSProperty('inert', true);
  for (const link of await menu(page).getByRole('link').all()) {
    await page.keyboard.press('Tab');
    await expect(link).toBeFocused();
  }
  for (let step = 0; step < 6; step += 1) {
    await page.keyboard.press('Tab');
    const isBehind = () => document.activeElement?.closest('main, footer') !== null;
    expect(await page.evaluate(isBehind)).toBe(false);
  }
  await toggle(page).click();
  await expect(menu(page)).toBeHidden();
  await expect(page.locator('main')).toHaveJSProperty('inert', false);
  expect(await isExpanded(page)).toBe(false);
});

test('the page behind it does not scroll', async ({ page }) => {
  // Wide enough for the wheel to turn beside the menu.
  await page.setViewportSize({ width: 700, height: 844 });
  await open(page, '/');
  await jumpTo(page, 300);
  await openMenu(page);
  await expect(page.locator('html')).toHaveCSS('overflow', 'hidden');
  await page.mouse.move(100, 400);
  await notePositions(page);
  await page.mouse.wheel(0, 400);
  await toggle(page).click();
  await expect(menu(page)).toBeHidden();
  expect(await positions(page)).toEqual([]);
  // One turn of the wheel after the other: had the first moved the page, this would go twice as far.
  await page.mouse.wheel(0, 400);
  await expect.poll(() => scrollY(page)).toBe(700);
  expect(await positions(page)).toEqual([700]);
});

test('a link, a route change, Escape and a wider screen close it', async ({ page }) => {
  const isClosed = async () => {
    await expect(menu(page)).toBeHidden();
    await expect(page.locator('html')).not.toHaveCSS('overflow', 'hidden');
  };
  await open(page, '/');
  for (const name of ['Services', 'Services', 'Home']) {
    await openMenu(page);
    await menu(page).getByRole('link', { name, exact: true }).click();
    await isClosed();
  }
  await expect(page).toHaveURL('/');

  await page.evaluate(() => void window.navigation.navigate('/pricing'));
  await expect(page).toHaveTitle(/Pricing/);
  await openMenu(page);
  await page.goBack();
  await expect(page).toHaveURL('/');
  await isClosed();

  await openMenu(page);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Escape');
  await isClosed();
  await expect(toggle(page)).toBeFocused();

  await openMenu(page);
  await page.setViewportSize({ width: 1200, height: 844 });
  await isClosed();
});

test('it works before the script has arrived, and after it has', async ({ page }) => {
  const gate = await Gate.before(page, '**/*.js');
  await page.goto('/', { waitUntil: 'commit' });
  await openMenu(page);
  await expect(page.locator('html')).toHaveCSS('overflow', 'hidden');
  gate.open();
  await expect(toggle(page)).toHaveAccessibleName('Close menu');
  await expect(menu(page)).toBeVisible();
  await menu(page).getByRole('link', { name: 'Blog', exact: true }).click();
  await expect(page).toHaveURL('/blog');
  await expect(menu(page)).toBeHidden();
});

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
  return middleOf(page.locator('#beside'));
}

/** Between phone and desktop the open menu leaves a part of the page in sight. */
test.describe('beside the menu', () => {
  test.use({ viewport: { width: 800, height: 700 } });
  const press = {
    tap: (page: Page, x: number, y: number) => page.touchscreen.tap(x, y),
    click: (page: Page, x: number, y: number) => page.mouse.click(x, y),
  };

  test('a tap or a click closes it and does nothing else; the next one is the page’s', async ({
    page,
  }) => {
    for (const kind of ['tap', 'click'] as const) {
      await open(page, '/privacy');
      await jumpTo(page, 300);
      const link = await linkBeside(page);
      for (const { x, y } of [link, { x: 20, y: 500 }]) {
        await openMenu(page);
        await press[kind](page, x, y);
        await expect(menu(page)).toBeHidden();
        await settled(page);
        await expect(page).toHaveURL('/privacy');
        expect(await scrollY(page)).toBe(300);
      }
      await press[kind](page, link.x, link.y);
      await expect(page).toHaveURL('/pricing');
    }
  });

  test.describe('without JavaScript', () => {
    test.use({ javaScriptEnabled: false });

    test('a tap or a click closes it and does not reach the page', async ({ page }) => {
      for (const kind of ['tap', 'click'] as const) {
        await page.goto('/privacy');
        const { x, y } = await linkBeside(page);
        await openMenu(page);
        await press[kind](page, x, y);
        await expect(menu(page)).toBeHidden();
        await expect(page).toHaveURL('/privacy');
        await press[kind](page, x, y);
        await expect(page).toHaveURL('/pricing');
      }
    });
  });
});
