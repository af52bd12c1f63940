/** What moves for those who have not asked for less motion, and gets there all the same. */
import type { Page } from '@playwright/test';
import { withMotion } from '../support/browser.ts';
import {
  expectAtTop,
  jumpTo,
  noteOwnScrolls,
  open,
  ownScrolls,
  pressReady,
  scrollY,
} from '../support/page.ts';
import { serviceSections } from '../support/routes.ts';
import { expect, test } from '../support/test.ts';

test.use(withMotion);

const barLink = (page: Page, name: string) =>
  page.locator('header').getByRole('link', { name, exact: true }).first();

test('a click on bare ground scrolls smoothly to the top', async ({ page }) => {
  await open(page, '/privacy');
  await jumpTo(page, 700);
  await noteOwnScrolls(page);
  await page.mouse.click(40, 450);
  await expect.poll(() => scrollY(page)).toBe(0);
  expect(await ownScrolls(page)).toEqual([700]);
});

test('a route change scrolls smoothly to the top', async ({ page }) => {
  await open(page, '/terms');
  await jumpTo(page, 1200);
  await noteOwnScrolls(page);
  await barLink(page, 'Services').click();
  await expect(page).toHaveTitle(/Services/);
  await expect.poll(() => scrollY(page)).toBe(0);
  expect(await ownScrolls(page)).toEqual([1200]);
});

test('a smooth scroll to a section lands on it, from another page and on its own', async ({
  page,
}) => {
  await open(page, '/');
  await page.locator('main a[href="/services#ai-chatbots"]').click();
  await expectAtTop(page, 'ai-chatbots');
  for (const { id, footer } of serviceSections) {
    await page.locator('footer').getByRole('link', { name: footer, exact: true }).click();
    await expectAtTop(page, id);
  }
});

test('the menu slides in from the side', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, '/');
  const menu = page.locator('#menu');
  // Where a transition begins is known as soon as it does, however late the next frame is.
  const begins = menu.evaluate(
    (element) =>
      new Promise((known) => {
        element.addEventListener('transitionrun', (event) => {
          const { propertyName } = event as TransitionEvent;
          if (propertyName !== 'translate') return;
          const slide = element
            .getAnimations()
            .find((each) => (each as CSSTransition).transitionProperty === propertyName);
          slide?.pause();
          if (slide) slide.currentTime = 0;
          known(element.getBoundingClientRect().left);
          slide?.play();
        });
      }),
  );
  await page.getByRole('button', { name: 'Open menu' }).click();
  expect(await begins).toBeGreaterThan(150);
  await expect(menu).toHaveCSS('translate', /^0(px)?( 0px)?$/);
  expect((await menu.boundingBox())?.x).toBeLessThanOrEqual(1);
});

test('where motion is welcome, the next page is there in the next frame and fades in', async ({
  page,
}) => {
  await open(page, '/about');
  const shown = await pressReady(page, 'Services');
  expect(shown).toEqual({ heading: 'More customers, less busywork', fades: 1 });
});
