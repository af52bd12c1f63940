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
    // The skip link stands above the bar by design.
    const covered =
      !bar?.contains(element) &&
      !element.matches('[href="#main"]') &&
      box.bottom <= (bar?.getBoundingClientRect().bottom ?? 0);
    return {
      name: element.outerHTML.slice(0, 140),
      marked: outlined || getComputedStyle(element).boxShadow !== 'none',
      visible: box.bottom > 0 && box.top < innerHeight && box.width > 1 && !covered,
    };
  });

test('Tab walks pages from the first link to the last, always in sight; the first skips to the content', async ({
  page,
}) => {
  for (const path of ['/', '/contact', '/blog']) {
    await open(page, path);
    const stops: string[] = [];
    for (;;) {
      await page.keyboard.press('Tab');
      const stop = await focused(page);
      if (!stop || stops.length > 120) break;
      expect(stop.marked, stop.name).toBe(true);
      expect(stop.visible, stop.name).toBe(true);
      stops.push(stop.name);
    }
    const reachable = await page.locator('a[href], button, input, textarea, summary').evaluateAll(
      (all) =>
        all.filter((element) => {
          const { tabIndex } = element as HTMLElement;
          return tabIndex >= 0 && element.checkVisibility() && !element.matches('[type=hidden]');
        }).length,
    );
    expect(stops.length, path).toBe(reachable);
  }

  await open(page, '/contact');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeInViewport({ ratio: 1 });
  await page.keyboard.press('Enter');
  await expect(page.locator('#main')).toBeFocused();
  await page.keyboard.press('Tab');
  const inMain = () => document.activeElement?.closest('main') !== null;
  expect(await page.evaluate(inMain)).toBe(true);

  const question = page.locator('details').first();
  await question.locator('summary').focus();
  await page.keyboard.press('Enter');
  await expect(question).toHaveAttribute('open');
  await page.keyboard.press('Space');
  await expect(question).not.toHaveAttribute('open');
});
