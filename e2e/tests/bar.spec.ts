/** The fixed bar gets a ground and a shadow once the page is scrolled more than 10 pixels. */
import { jumpTo, open } from '../support/page.ts';
import { expect, test } from '../support/test.ts';

test('the bar is clear up to 10 px, solid with a shadow beyond, and clear again', async ({
  page,
}) => {
  await open(page, '/');
  const bar = page.locator('header');
  const clear = async () => {
    await expect(bar).toHaveCSS('background-color', 'rgba(0, 0, 0, 0)');
    await expect(bar).toHaveCSS('box-shadow', 'none');
  };
  await expect(bar).toHaveCSS('position', 'fixed');
  await clear();
  await jumpTo(page, 10);
  await clear();
  await jumpTo(page, 11);
  await expect(bar).not.toHaveCSS('box-shadow', 'none');
  // Solid: what lies behind may shine through a little, no more.
  await expect
    .poll(() =>
      bar.evaluate((element) => {
        const color = getComputedStyle(element).backgroundColor;
        const [, alpha] = /[,/]\s*([\d.]+)\)$/.exec(color) ?? [];
        return color.startsWith('rgb(') ? 1 : Number(alpha);
      }),
    )
    .toBeGreaterThan(0.85);
  await jumpTo(page, 0);
  await clear();
});

test('a page opened further down has a solid bar from the start', async ({ page }) => {
  await open(page, '/services#automation');
  await expect(page.locator('header')).not.toHaveCSS('box-shadow', 'none');
});

test('where the bar is narrowest nothing in it is squeezed', async ({ page }) => {
  const widths = async (screen: number) => {
    await page.setViewportSize({ width: screen, height: 900 });
    return page.locator('header').evaluate((header) => {
      const parts = [...header.querySelectorAll('a, button')].map((part) =>
        part.getBoundingClientRect(),
      );
      return parts.map(({ width, height }) => [width, height]);
    });
  };
  await open(page, '/');
  const roomy = await widths(1440);
  expect(await widths(960)).toEqual(roomy);
});
