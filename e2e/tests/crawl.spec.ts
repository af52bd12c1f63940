/** Every link, hash and file of the site leads somewhere, and to this site alone. */
import type { APIRequestContext, Page } from '@playwright/test';
import { listed, pages } from '../support/routes.ts';
import { site } from '../support/site.ts';
import { expect, test } from '../support/test.ts';

type Found = { links: string[]; files: string[]; ids: string[] };

/** All a page points to, as absolute paths of this site. */
async function lookAt(page: Page, path: string): Promise<Found> {
  await page.goto(path);
  return page.evaluate((siteUrl) => {
    const values = (selector: string, attribute: string) =>
      [...document.querySelectorAll(selector)].map((node) => node.getAttribute(attribute) ?? '');
    const local = (value: string) => {
      const url = new URL(value.replace(siteUrl, location.origin), location.href);
      return url.origin === location.origin ? [url.pathname + url.search + url.hash] : [];
    };
    const sheets = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
    const inSheets = sheets.flatMap((rule) =>
      [...rule.cssText.matchAll(/url\("?([^")]+)"?\)/g)].map((match) => match[1] ?? ''),
    );
    const pictures = 'meta[property="og:image"], meta[name="twitter:image"]';
    return {
      links: values('a[href], area[href]', 'href').flatMap(local),
      files: [
        ...values('link[href]:not([rel=canonical])', 'href'),
        ...values('[src]', 'src'),
        ...values('[srcset]', 'srcset').flatMap((set) =>
          set.split(',').map((entry) => entry.trim().split(' ')[0] ?? ''),
        ),
        ...values(pictures, 'content'),
        ...inSheets,
      ]
        .filter((value) => !value.startsWith('data:'))
        .flatMap(local),
      ids: values('[id]', 'id'),
    };
  }, site.url);
}

async function expectThere(request: APIRequestContext, file: string) {
  const answer = await request.get(file);
  expect(answer.status(), file).toBe(200);
  expect((await answer.body()).length, file).toBeGreaterThan(0);
  const isPage = answer.headers()['content-type']?.startsWith('text/html');
  if (file.includes('.')) expect(isPage, file).toBe(false);
}

test.describe('as served', () => {
  test.use({ javaScriptEnabled: false });

  test('from the home page links lead to every listed page, every hash and every file', async ({
    page,
    request,
  }) => {
    const found = new Map<string, Found>();
    const waiting = ['/'];
    const files = new Set<string>();
    const hashes = new Set<string>();
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (found.has(path)) continue;
      const seen = await lookAt(page, path);
      found.set(path, seen);
      for (const file of seen.files) files.add(file);
      for (const link of seen.links) {
        const [address = '/'] = link.split('#');
        if (/\.\w+$/.test(address)) files.add(address);
        else if (!found.has(address)) waiting.push(address);
        if (link.includes('#')) hashes.add(link);
      }
    }
    expect([...found.keys()].toSorted()).toEqual(listed.toSorted());
    expect(hashes.size).toBeGreaterThanOrEqual(6);
    for (const hash of hashes) {
      const [address = '/', id = ''] = hash.split('#');
      expect(found.get(address)?.ids, hash).toContain(id);
    }
    expect([...files].some((file) => file.endsWith('.woff2'))).toBe(true);
    const manifest = await (await request.get('/site.webmanifest')).json();
    for (const { src } of manifest.icons) files.add(src);
    for (const file of files) await expectThere(request, file);
  });

  test('no page has two elements with one id', async ({ page }) => {
    for (const path of pages) {
      const { ids } = await lookAt(page, path);
      expect(new Set(ids).size, path).toBe(ids.length);
    }
  });

  test('every picture has an alternative text and its room kept free', async ({ page }) => {
    for (const path of pages) {
      await page.goto(path);
      const broken = await page
        .locator('img')
        .evaluateAll(
          (images) =>
            images.filter((image) => !image.hasAttribute('alt') || !image.getAttribute('width'))
              .length,
        );
      expect(broken, path).toBe(0);
    }
  });
});
