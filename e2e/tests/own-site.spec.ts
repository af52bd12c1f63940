/** A site that an owner made by content alone: with colours and a mark of their own, and a post full of wide things. */
import type { Page } from '@playwright/test';
import { frozen } from '../../web/build/testing/frozen.ts';
import { word } from '../../web/build/testing/wide-post.ts';
import { open } from '../support/page.ts';
import { expectAccessible, expectWhole } from '../support/rendered.ts';
import { test as base, expect } from '../support/test.ts';

/** The site that the tests of the build make, as an owner would. */
const test = base.extend({
  baseURL: async ({ startApp }, use) => use((await startApp({ FRONTDOOR_SITE: frozen.own })).url),
});

const paths = ['/services', '/pricing', '/about', '/blog', '/contact', '/privacy', '/nowhere', '/'];

test('in the owner’s colours every text is as readable, and the mark stands beside the name', async ({
  page,
  request,
  problems,
}) => {
  problems.expect(/404/);
  for (const path of paths) {
    await open(page, path);
    await expectAccessible(page, path, ['color-contrast']);
  }
  for (const place of ['header', 'footer']) {
    const image = page.locator(`${place} a[href="/"] img`);
    await expect(image).toHaveAttribute('alt', '');
    await expect.poll(() => image.evaluate((node: HTMLImageElement) => node.naturalWidth)).toBe(32);
  }
  expect(await (await request.get('/favicon.svg')).text()).toContain('viewBox="0 0 40 20"');
});

const path = '/blog/wide-post';
const inWindow = async (page: Page) => {
  await open(page, '/blog');
  await page.locator(`main a[href="${path}"]`).click();
  await expect(page.locator('dialog [data-prose] table').first()).toBeVisible();
};
const places = {
  'its page': { within: 'body', show: (page: Page) => open(page, path) },
  'its window': { within: 'dialog', show: inWindow },
};

for (const [place, { within, show }] of Object.entries(places)) {
  test(`on ${place} a wide post is whole at every width, and what is wide scrolls in its own box`, async ({
    page,
  }) => {
    await show(page);
    for (const width of [1920, 1024, 768, 360]) {
      await expectWhole(page, place, [width], within);
      expect.soft(await outside(page, within), `${place} at ${width}`).toEqual([]);
    }

    const boxes = page.locator(`${within} [data-prose] [role=region]`);
    const names = [
      'Table: A heading with …',
      'Code: A heading with …',
      'Code: A heading with … 2',
      'Table: A heading with … 2',
    ];
    await expect(boxes).toHaveCount(names.length);
    for (const [index, name] of names.entries()) {
      const box = boxes.nth(index);
      await expect(box).toHaveAccessibleName(name.replace('…', word));
      expect(await box.evaluate((node) => node.scrollWidth > node.clientWidth)).toBe(true);
      await box.focus();
      await expect(box).toBeFocused();
      await page.keyboard.press('ArrowRight');
      await expect.poll(() => box.evaluate((node) => node.scrollLeft)).toBeGreaterThan(0);
    }
    await expectAccessible(page, place);
  });
}

/** Boxes of the text, not only its words, that reach beyond the column: a table that spills has both. */
const outside = (page: Page, within: string) =>
  page.evaluate((selector) => {
    const prose = document.querySelector(`${selector} [data-prose]`) as Element;
    const { left, right } = prose.getBoundingClientRect();
    return [...prose.querySelectorAll('*')]
      .filter((node) => !node.parentElement?.closest('[role=region]'))
      .filter((node) => {
        const box = node.getBoundingClientRect();
        return box.width > 0 && (box.left < left - 1 || box.right > right + 1);
      })
      .map((node) => `<${node.localName}> "${node.textContent?.slice(0, 40)}"`);
  }, within);
