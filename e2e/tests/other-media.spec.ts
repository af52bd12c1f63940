/** Every page on paper, dark words on white and nothing that only a screen needs; and in the visitor's own colours. */

import type { Page } from '@playwright/test';
import { open } from '../support/page.ts';
import { pages } from '../support/routes.ts';
import { expect, test } from '../support/test.ts';

/** Words that could not be read with backgrounds printed or left out, as browsers do by default. */
const unreadable = (page: Page) =>
  page.evaluate(() => {
    const channels = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number);
    const luminance = ([r = 0, g = 0, b = 0]: number[]) => {
      const [red = 0, green = 0, blue = 0] = [r, g, b].map((value) => {
        const share = value / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const opaque = (color: string) => (channels(color)[3] ?? 1) > 0;
    const grounds = (element: Element | null): string[] => {
      const found: string[] = [];
      for (let at = element; at; at = at.parentElement) {
        for (const style of [getComputedStyle(at), getComputedStyle(at, '::before')]) {
          if (style.backgroundImage !== 'none') found.push(style.backgroundImage);
          if (opaque(style.backgroundColor)) found.push(style.backgroundColor);
        }
      }
      return found;
    };
    const white = (ground: string) => luminance(channels(ground)) > 0.9 && /^rgb/.test(ground);
    const pictures = [...document.images].map((image) => image.getBoundingClientRect());
    const bad: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement;
      if (!element || !node.nodeValue?.trim() || !element.checkVisibility()) continue;
      if (element.closest('.visually-hidden, script, style')) continue;
      const style = getComputedStyle(element);
      const ink = style.getPropertyValue('-webkit-text-fill-color');
      const faint = !opaque(ink) || 1.05 / (luminance(channels(ink)) + 0.05) < 4.5;
      const dark = grounds(element).filter((ground) => !white(ground));
      const box = element.getBoundingClientRect();
      const onPicture = pictures.some(
        ({ top, bottom, left, right }) =>
          top < box.bottom && bottom > box.top && left < box.right && right > box.left,
      );
      if (onPicture) dark.push('a picture');
      if (faint || dark.length > 0)
        bad.push(`${node.nodeValue.trim().slice(0, 40)}: ${ink} on ${dark.join(', ') || 'white'}`);
    }
    return bad;
  });

test('every page can be read', async ({ page }) => {
  await page.emulateMedia({ media: 'print' });
  for (const path of pages) {
    await page.goto(path);
    expect(await unreadable(page), path).toEqual([]);
    for (const element of await page.locator('header, footer, #menu, canvas').all())
      await expect(element, path).toBeHidden();
    await expect(page.locator('h1'), path).toBeVisible();
  }
});

test('a link in a text can be told from the words around it', async ({ page }) => {
  await page.goto('/privacy');
  await page.emulateMedia({ media: 'print' });
  await expect(page.locator('[data-prose] a').first()).toHaveCSS(
    'text-decoration-line',
    'underline',
  );
});

test.describe('with forced colours', () => {
  test.use({ contextOptions: { forcedColors: 'active' } });

  test('buttons, cards and the headline can be made out', async ({ page }) => {
    await open(page, '/pricing');
    const button = page.getByRole('link', { name: 'Book Free Strategy Call' }).last();
    const card = page.locator('main article').first();
    for (const element of [button, card]) {
      await expect(element).toHaveCSS('border-top-style', 'solid');
      await expect(element).not.toHaveCSS('border-top-width', '0px');
    }
    await open(page, '/');
    const word = page.locator('h1 > span > span').last();
    await expect(word).toHaveCSS('background-image', 'none');
    const ink = await word.evaluate((element) => {
      const style = getComputedStyle(element);
      return style.getPropertyValue('-webkit-text-fill-color');
    });
    expect(ink).not.toMatch(/, 0\)$/);
  });
});
