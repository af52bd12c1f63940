/** With JavaScript off every page can be read and used. */
import { pages, postSlugs } from '../support/routes.ts';
import { expect, test } from '../support/test.ts';

test.use({ javaScriptEnabled: false });

test('every page shows all its text, and nothing waits for a script', async ({ page }) => {
  for (const path of pages) {
    await page.goto(path);
    const look = await page.evaluate(() => {
      // An answer waits in its question; everything else is on the page at once.
      const words = document.querySelectorAll(
        'main :is(section, article, h1, h2, h3, p, li):not(details *)',
      );
      const hidden = [...words].filter(
        (element) => !element.checkVisibility({ opacityProperty: true }),
      );
      const late = [...document.querySelectorAll('main > section')].filter(
        (section) => getComputedStyle(section).contentVisibility !== 'visible',
      );
      return {
        headings: document.querySelectorAll('main h1').length,
        hidden: hidden.map((element) => element.outerHTML.slice(0, 120)),
        reveals: document.querySelectorAll('[data-reveal]').length,
        late: late.length,
      };
    });
    expect.soft(look, path).toEqual({ headings: 1, hidden: [], reveals: 0, late: 0 });
  }
});

test('links, questions and posts of the list work, and nothing moves for ever', async ({
  page,
}) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.goto('/');
  for (const shape of await page.locator('[data-width]').all())
    await expect(shape).toHaveCSS('animation-play-state', 'paused');
  await expect(page.locator('[data-pause-motion]:visible')).toHaveCount(0);
  await page.locator('header').getByRole('link', { name: 'Pricing', exact: true }).click();
  await expect(page).toHaveURL('/pricing');
  await expect(page.locator('header a[aria-current=page]:visible')).toHaveText('Pricing');
  await page.locator('footer').getByRole('link', { name: 'Chatbots', exact: true }).click();
  await expect(page).toHaveURL('/services#chatbots');
  await expect(page.locator('#ai-chatbots h2')).toBeInViewport();

  await page.goto('/contact');
  const first = page.locator('details').first();
  await expect(first.locator('p')).toBeHidden();
  await first.locator('summary').click();
  await expect(first.locator('p')).toBeVisible();

  await page.goto('/blog');
  await page.locator(`main a[href="/blog/${postSlugs[0]}"]`).click();
  await expect(page).toHaveURL(`/blog/${postSlugs[0]}`);
  await expect(page.locator('h1')).toBeVisible();
});
