/** Cards: where a press on them leads, what the pointer does to them, and how they arrive. */
import type { Locator, Page } from '@playwright/test';
import { withMotion } from '../support/browser.ts';
import { jumpTo, open, settled } from '../support/page.ts';
import { postSlugs, serviceSections } from '../support/routes.ts';
import { expect, test } from '../support/test.ts';

test.use(withMotion);

const serviceCard = (page: Page, id = 'website-design') =>
  page.locator('main article', { has: page.locator(`a[href="/services#${id}"]`) });

/** The middle of an element, after bringing it to the middle of the screen. */
async function middle(page: Page, element: Locator) {
  await element.evaluate((node) => node.scrollIntoView({ block: 'center', behavior: 'instant' }));
  await settled(page);
  const { x, y, width, height } = (await element.boundingBox()) ?? new DOMRect();
  return { x: x + width / 2, y: y + height / 2 };
}

test.describe('at rest', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce' } });

  test('every part of a service card leads where Learn More leads', async ({ page }) => {
    for (const part of ['p >> nth=0', 'h3', 'p >> nth=1', 'img', 'a']) {
      await open(page, '/');
      const { x, y } = await middle(page, serviceCard(page).locator(part));
      await page.mouse.click(x, y);
      await expect(page, part).toHaveURL('/services#website-design');
    }
  });

  test('a service card holds one link, named after its service', async ({ page }) => {
    await open(page, '/');
    for (const { id } of serviceSections) {
      const card = serviceCard(page, id);
      const title = (await card.locator('h3').textContent()) ?? '';
      await expect(card.getByRole('link')).toHaveCount(1);
      await expect(card.getByRole('link')).toHaveAccessibleName(`Learn More ${title}`);
    }
  });

  test('a press on its words with a modifier key opens a new tab', async ({ page, context }) => {
    await open(page, '/');
    const { x, y } = await middle(page, serviceCard(page).locator('p').nth(1));
    const opened = context.waitForEvent('page');
    await page.keyboard.down('Control');
    await page.mouse.click(x, y);
    await page.keyboard.up('Control');
    await expect(await opened).toHaveURL('/services#website-design');
    await expect(page).toHaveURL('/');
  });

  test('a press on the words of a post opens it', async ({ page }) => {
    await open(page, '/blog');
    const link = page.locator(`a[href="/blog/${postSlugs[0]}"]`);
    const card = page.locator('main article', { has: link });
    const title = (await card.getByRole('heading').textContent()) ?? '';
    const { x, y } = await middle(page, card.locator('p').first());
    await page.mouse.click(x, y);
    await expect(page.getByRole('dialog')).toHaveAccessibleName(title);
  });
});

test('cards that lead somewhere answer the pointer, and only those', async ({ page }) => {
  const look = (element: Element) => {
    const { translate, backgroundColor, boxShadow } = getComputedStyle(element);
    return [translate, backgroundColor, boxShadow].join(' | ');
  };
  for (const path of ['/', '/pricing', '/blog']) {
    await open(page, path);
    for (const card of await page.locator('main article').all()) {
      await middle(page, card);
      const leads =
        (await card.locator('a:is([href^="/services#"], [href^="/blog/"])').count()) > 0;
      await page.mouse.move(0, 0);
      await expect(card).toHaveCSS('translate', 'none');
      const moving = () => card.evaluate((node) => node.getAnimations().length);
      await expect.poll(moving).toBe(0);
      const atRest = await card.evaluate(look);
      await card.hover({ position: { x: 12, y: 12 } });
      if (leads) await expect(card).toHaveCSS('translate', '0px -4px');
      // Nothing of it is on the way either.
      else {
        expect(await moving(), path).toBe(0);
        expect(await card.evaluate(look), path).toBe(atRest);
      }
    }
  }
});

/** Follows one element from frame to frame: how far it is displaced, and what fades it. */
const watchArrival = (element: Locator, top: number) =>
  element.evaluate(async (node, y) => {
    const seen: { travel: number; fading: number; shown: number }[] = [];
    const note = () => {
      let [travel, fading, shown] = [0, 0, 1];
      for (let at: Element | null = node; at; at = at.parentElement) {
        const { opacity, transform } = getComputedStyle(at);
        travel += new DOMMatrix(transform).f;
        fading += Number(opacity) < 1 ? 1 : 0;
        shown *= Number(opacity);
      }
      seen.push({ travel, fading, shown });
      return shown;
    };
    note();
    window.scrollTo({ top: y, behavior: 'instant' });
    while (note() < 1) await new Promise(requestAnimationFrame);
    return seen;
  }, top);

for (const part of [0.35, 1]) {
  test(`a card travels and fades once, with ${100 * part} % of its section on screen`, async ({
    page,
  }) => {
    await open(page, '/');
    const card = serviceCard(page);
    const top = await card.evaluate((node, share) => {
      document.documentElement.dataset.whole = '';
      const box = node.closest('section')?.getBoundingClientRect() ?? new DOMRect();
      return Math.round(window.scrollY + box.top + share * box.height - innerHeight);
    }, part);
    await jumpTo(page, 1);
    const seen = await watchArrival(card, top);
    expect(seen[0]?.shown).toBe(0);
    expect(Math.max(...seen.map(({ travel }) => travel))).toBeLessThanOrEqual(24);
    expect(Math.max(...seen.map(({ fading }) => fading))).toBe(1);
    expect(seen.at(-1)).toEqual({ travel: 0, fading: 0, shown: 1 });
  });
}
