/** The page on paper and in the visitor's own colours. */
import { open } from '../support/page.ts';
import { postSlugs } from '../support/routes.ts';
import { expect, test } from '../support/test.ts';

test('legal pages and posts print as black text without bar and footer', async ({ page }) => {
  for (const path of ['/terms', '/privacy', `/blog/${postSlugs[0]}`]) {
    await open(page, path);
    await page.emulateMedia({ media: 'print' });
    await expect(page.locator('header'), path).toBeHidden();
    await expect(page.locator('footer'), path).toBeHidden();
    await expect(page.locator('h1'), path).toHaveCSS('color', 'rgb(0, 0, 0)');
    await expect(page.locator('[data-prose] p').first(), path).toHaveCSS('color', 'rgb(0, 0, 0)');
    await expect(page.locator('body'), path).toHaveCSS('background-color', 'rgba(0, 0, 0, 0)');
    await expect(page.locator('html'), path).toHaveCSS('background-color', 'rgba(0, 0, 0, 0)');
    const faint = await page
      .locator('main :is(p, li, h2, h3)')
      .evaluateAll(
        (all) =>
          all.filter((element) => element.checkVisibility({ opacityProperty: true }) === false)
            .length,
      );
    const screenOnly = await page.locator('main [data-screen-only] :is(p, li, h2, h3)').count();
    expect(faint, path).toBe(screenOnly);
    await page.emulateMedia({ media: 'screen' });
  }
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
