/** Everything can be reached and seen with the keyboard alone. */
import type { Page } from '@playwright/test';
import { open } from '../support/page.ts';
import { expect, test } from '../support/test.ts';

/** What has focus now: is it marked, on screen, and not under the bar? */
const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return undefined;
    const outlined = [getComputedStyle(element), getComputedStyle(element, '::after')].some(
      ({ outlineStyle, outlineWidth }) => outlineStyle !== 'none' && outlineWidth !== '0px',
    );
    const box = element.getBoundingClientRect();
    const bar = document.querySelector('header');
    const covered =
      !bar?.contains(element) && box.bottom <= (bar?.getBoundingClientRect().bottom ?? 0);
    return {
      name: element.outerHTML.slice(0, 140),
      marked: outlined || getComputedStyle(element).boxShadow !== 'none',
      visible: box.bottom > 0 && box.top < innerHeight && box.width > 1 && !covered,
    };
  });

for (const path of ['/', '/contact', '/blog']) {
  test(`Tab walks ${path} from the first link to the last, always in sight`, async ({ page }) => {
    await open(page, path);
    const stops: string[] = [];
    for (;;) {
      await page.keyboard.press('Tab');
      const stop = await focused(page);
      if (!stop || stops.length > 120) break;
      expect(stop.marked, stop.name).toBe(true);
      // The skip link stands above the bar by design.
      if (stops.length > 0) expect(stop.visible, stop.name).toBe(true);
      stops.push(stop.name);
    }
    const reachable = await page.locator('a[href], button, input, textarea, summary').evaluateAll(
      (all) =>
        all.filter((element) => {
          const { tabIndex } = element as HTMLElement;
          return tabIndex >= 0 && element.checkVisibility() && !element.matches('[type=hidden]');
        }).length,
    );
    expect(stops.length).toBe(reachable);
  });
}

test('the first Tab offers to skip to the content, and does; Enter and Space open and close a question', async ({
  page,
}) => {
  await open(page, '/contact');
  await page.keyboard.press('Tab');
  const skip = page.getByRole('link', { name: 'Skip to content' });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport({ ratio: 1 });
  await page.keyboard.press('Enter');
  await expect(page.locator('#main')).toBeFocused();
  await page.keyboard.press('Tab');
  const inMain = await page.evaluate(() => document.activeElement?.closest('main') !== null);
  expect(inMain).toBe(true);

  const question = page.locator('details').first();
  await question.locator('summary').focus();
  await page.keyboard.press('Enter');
  await expect(question).toHaveAttribute('open');
  await page.keyboard.press('Space');
  await expect(question).not.toHaveAttribute('open');
});
