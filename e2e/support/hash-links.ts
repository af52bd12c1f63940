/** What a link into a page promises. */
import { expect, type Page } from '@playwright/test';

/** The section begins right below the fixed bar, and its title can be read. */
export async function expectAtTop(page: Page, id: string) {
  const bar = (await page.locator('header').boundingBox())?.height ?? 0;
  const distance = () =>
    page.locator(`section#${id}`).evaluate((section) => section.getBoundingClientRect().top);
  await expect.poll(async () => Math.abs((await distance()) - bar), id).toBeLessThanOrEqual(3);
  const title = page.locator(`section#${id} h2`);
  await expect(title).toBeInViewport({ ratio: 1 });
  await expect(page.locator(`section#${id} > div`)).toHaveCSS('opacity', '1');
  expect((await title.boundingBox())?.y).toBeGreaterThanOrEqual(bar);
}
