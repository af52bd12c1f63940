/**
 * Pages hold whatever the owner has: looked at with one, five and twelve of each thing, and without all that
 * may be left out.
 */
import { expectAccessible } from '../support/axe.ts';
import { faults, wholePage } from '../support/rendered.ts';
import { expect, test } from '../support/test.ts';
import { openPrinted, printVariants, singleInRow } from '../support/variants.ts';

// They are made once, for all of these.
test.describe.configure({ mode: 'default' });

const widths = [360, 768, 1024, 1280, 1920];
const variants = {
  one: { count: 1, filled: true },
  five: { count: 5, filled: false },
  twelve: { count: 12, filled: true },
};
const paths = ['/', '/services', '/about', '/contact', '/pricing', '/checkout/success'];

let printed: Awaited<ReturnType<typeof printVariants<keyof typeof variants | 'bare'>>>;
test.beforeAll(async () => {
  printed = await printVariants({ ...variants, bare: 'bare' });
});

test('a card that stands alone in its row is found', async ({ page }) => {
  const cards = (width: string, count: number) =>
    `<main><div style="display:flex;flex-wrap:wrap">${`<article style="width:${width}">x</article>`.repeat(count)}</div></main>`;
  await page.setContent(cards('40%', 3));
  expect(await singleInRow(page)).toHaveLength(1);
  await page.setContent(cards('40%', 4));
  expect(await singleInRow(page)).toEqual([]);
  await page.setContent(cards('100%', 3));
  expect(await singleInRow(page)).toEqual([]);
});

test('twelve of each is accessible', async ({ page }) => {
  for (const path of paths.slice(0, -1)) {
    await openPrinted(page, path, printed.twelve[path]);
    await expectAccessible(page, path);
  }
});

test('without all that may be left out, pages are whole, and no heading stands alone', async ({
  page,
}) => {
  for (const path of paths) {
    await openPrinted(page, path, printed.bare[path]);
    await wholePage(page);
    // Whatever is there has something to show beside its heading.
    const empty = page.locator(
      'main :is(section, figure, ul, ol, dl):not(:has(p, li, dd, img, form))',
    );
    await expect(empty, path).toHaveCount(0);
    await expect(page.locator('a[href^="tel:"]'), path).toHaveCount(0);
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      const found = [...(await faults(page)), ...(await singleInRow(page))];
      expect.soft(found, `${path} at ${width}`).toEqual([]);
    }
  }
});

test('the comparison shows that it has the focus', async ({ page }) => {
  await openPrinted(page, '/pricing', printed.twelve['/pricing']);
  const comparison = page.getByRole('table').locator('..');
  await page.keyboard.press('Tab');
  await comparison.focus();
  await expect(comparison).toBeFocused();
  await expect(comparison).toHaveCSS('outline-style', 'solid');
});

for (const [name, { count, filled }] of Object.entries(variants)) {
  const pages = () => printed[name as keyof typeof variants];

  test(`${name} of each is whole at every width, and no row ends in one`, async ({ page }) => {
    for (const path of paths) {
      await openPrinted(page, path, pages()[path]);
      await wholePage(page);
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 });
        const found = [...(await faults(page)), ...(await singleInRow(page))];
        expect.soft(found, `${path} with ${name} at ${width}`).toEqual([]);
      }
    }
  });

  test(`${name} of each is all there`, async ({ page }) => {
    const titles = (title: string) =>
      page.locator('main section', {
        has: page.getByRole('heading', { name: title, exact: true }),
      });
    await openPrinted(page, '/about', pages()['/about']);
    await expect(titles('Why Choose Us').locator('article')).toHaveCount(count);
    await expect(titles('Who you will work with')).toHaveCount(filled ? 1 : 0);
    await openPrinted(page, '/', pages()['/']);
    await expect(titles('What clients say')).toHaveCount(filled ? 1 : 0);
    await expect(page.locator('footer a[href^="https://"]:not([data-booking])')).toHaveCount(
      filled ? count : 0,
    );
    await openPrinted(page, '/pricing', pages()['/pricing']);
    await expect(page.locator('main article')).toHaveCount(count);
    await expect(page.getByRole('table')).toHaveCount(filled ? 1 : 0);
  });

  test(`${name} of each: every link to a service leads to its section`, async ({ page }) => {
    await openPrinted(page, '/', pages()['/']);
    const hrefs = (selector: string) =>
      page.locator(selector).evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    const cards = await hrefs('main a[href^="/services#"]');
    const short = await hrefs('footer a[href^="/services#"]');
    expect([cards.length, short.length]).toEqual([count, count]);
    await openPrinted(page, '/services', pages()['/services']);
    const places = (links: (string | null)[]) =>
      page.evaluate((all) => {
        const sections = [...document.querySelectorAll('main section[id]')];
        return all.map((href) => {
          const target = document.getElementById(href?.split('#')[1] ?? '');
          const section = target?.matches('section') ? target : target?.nextElementSibling;
          return sections.indexOf(section as Element);
        });
      }, links);
    const inOrder = cards.map((_, at) => at);
    expect(await places(cards)).toEqual(inOrder);
    expect(await places(short)).toEqual(inOrder);
  });
}
