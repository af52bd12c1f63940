/** The site in an owner's colours and with their mark, by content alone. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { frozen } from '../../web/build/testing/frozen.ts';
import { expectAccessible } from '../support/axe.ts';
import { testWith } from '../support/own-site.ts';
import { open } from '../support/page.ts';
import { expect } from '../support/test.ts';

const mark =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><circle cx="20" cy="10" r="10" fill="#0a0"/></svg>';
/** The look's own colours are far from these, in hue and in how light they are. */
const brand = '[brand]\nmark = "own.svg"\naccent = "#facc15"\nhighlight = "#1d4ed8"\n';

const test = testWith(async () => {
  const facts = await readFile(join(frozen.content, 'site.toml'), 'utf8');
  return { 'site.toml': `${facts}\n${brand}`, 'own.svg': mark };
});
test.describe.configure({ mode: 'default' });

const paths = ['/', '/services', '/pricing', '/about', '/blog', '/contact', '/privacy', '/nowhere'];

test('every text is as readable as in the colours of the look', async ({ page, problems }) => {
  problems.expect(/404/);
  for (const path of paths) {
    await open(page, path);
    await expectAccessible(page, path);
  }
});

test('the mark stands beside the name and is the icon', async ({ page, request }) => {
  await open(page, '/');
  for (const place of ['header', 'footer']) {
    const image = page.locator(`${place} a[href="/"] img`);
    await expect(image).toHaveAttribute('alt', '');
    await expect.poll(() => image.evaluate((node: HTMLImageElement) => node.naturalWidth)).toBe(32);
  }
  expect(await (await request.get('/favicon.svg')).text()).toContain('viewBox="0 0 40 20"');
});
