/**
 * Pages work with as much content as the owner has: with one, five and twelve of each thing, and without
 * everything optional.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';
import { expectAccessible, expectWhole } from '../support/rendered.ts';
import { expect, test } from '../support/test.ts';

// The pages are printed once, for all tests of this file.
test.describe.configure({ mode: 'default' });

const program = fileURLToPath(
  new URL('../../web/build/testing/print-variants.ts', import.meta.url),
);

/** The rules that depend on how much there is: colours and sizes do not. */
const structure = ['wcag2a', 'best-practice'];

const widths = [360, 768, 1280];
const variants = {
  one: { count: 1, filled: true },
  five: { count: 5, filled: false },
  twelve: { count: 12, filled: true },
};
const paths = ['/', '/services', '/about', '/contact', '/pricing', '/checkout/success'];

/** The HTML of each page, by variant and path. */
const printed: Record<string, Record<string, string>> = {};

test.beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'variants-'));
  const all = JSON.stringify({ ...variants, bare: 'bare' });
  await promisify(execFile)(process.execPath, [program, folder, all]);
  for (const name of [...Object.keys(variants), 'bare'])
    printed[name] = JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8'));
  await rm(folder, { recursive: true });
});

/** Opens a page of a variant in place of the program's; fonts and pictures are the program's. */
async function openPrinted(page: Page, variant: string, path: string) {
  const body = printed[variant]?.[path] ?? '';
  const contentType = 'text/html; charset=utf-8';
  await page.unrouteAll();
  await page.route(
    (url) => url.pathname === path,
    (route) => route.fulfill({ contentType, body }),
  );
  await page.goto(path);
}

test('without all that may be left out, pages are whole, and no heading stands alone', async ({
  page,
}) => {
  for (const path of paths) {
    await openPrinted(page, 'bare', path);
    // Whatever is there has something to show beside its heading.
    const empty = page.locator(
      'main :is(section, figure, ul, ol, dl):not(:has(p, li, dd, img, form))',
    );
    await expect(empty, path).toHaveCount(0);
    await expect(page.locator('a[href^="tel:"]'), path).toHaveCount(0);
    await expectWhole(page, path, widths);
  }
});

for (const [name, { count, filled }] of Object.entries(variants)) {
  test(`${name} of each is all there, whole at every width, and no row ends in one`, async ({
    page,
  }) => {
    const titled = (title: string) =>
      page.locator('main section', {
        has: page.getByRole('heading', { name: title, exact: true }),
      });
    const look: Record<string, () => Promise<void>> = {
      '/': async () => {
        await expect(titled('What clients say')).toHaveCount(filled ? 1 : 0);
        await expect(page.locator('footer a[href^="https://"]:not([data-booking])')).toHaveCount(
          filled ? count : 0,
        );
        for (const place of ['main', 'footer'])
          await expect(page.locator(`${place} a[href^="/services#"]`), place).toHaveCount(count);
      },
      '/services': () => expect(page.locator('main section[id]')).toHaveCount(count),
      '/about': async () => {
        await expect(titled('Why Choose Us').locator('article')).toHaveCount(count);
        await expect(titled('Who you will work with')).toHaveCount(filled ? 1 : 0);
      },
      '/pricing': async () => {
        await expect(page.locator('main article')).toHaveCount(count);
        await expect(page.getByRole('table')).toHaveCount(filled ? 1 : 0);
      },
    };
    for (const path of paths) {
      await openPrinted(page, name, path);
      await look[path]?.();
      await expectWhole(page, `${path} with ${name}`, widths);
      if (name === 'twelve') await expectAccessible(page, path, structure);
    }
    if (!filled) return;
    await openPrinted(page, name, '/pricing');
    const comparison = page.getByRole('table').locator('..');
    await page.keyboard.press('Tab');
    await comparison.focus();
    await expect(comparison).toHaveCSS('outline-style', 'solid');
  });
}
