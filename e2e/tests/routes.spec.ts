/** What every address answers, and what its head tells search engines and link previews. */
import type { Page } from '@playwright/test';
import { listed, pages, promised, unlisted } from '../support/routes.ts';
import { allServed } from '../support/served.ts';
import { site } from '../support/site.ts';
import { expect, test } from '../support/test.ts';

// What is served, before any script.
test.use({ javaScriptEnabled: false });

const meta = (page: Page, name: string) =>
  page.locator(`meta[name="${name}"], meta[property="${name}"]`).getAttribute('content');

test('every address that is promised is there', async ({ request }) => {
  expect(pages).toEqual(expect.arrayContaining(promised));
  for (const path of promised) expect((await request.get(path)).status(), path).toBe(200);
});

test('every page answers 200 with one first heading and a title and description of its own', async ({
  page,
  request,
}) => {
  const all = await allServed(page, request, pages);
  for (const { path, status, lang, headings } of all) {
    expect(status, path).toBe(200);
    expect(headings, path).toEqual([expect.stringMatching(/\S/)]);
    expect(lang, path).toBe('en-CA');
  }
  expect(new Set(all.map(({ title }) => title)).size).toBe(pages.length);
  expect(new Set(all.map((each) => each.meta.description ?? '')).size).toBe(pages.length);
});

test('every listed page names its own canonical address', async ({ page, request }) => {
  for (const { path, canonical, meta } of await allServed(page, request, listed)) {
    expect(canonical, path).toEqual([site.url + path]);
    expect(meta.robots ?? '', path).not.toContain('noindex');
  }
});

test('every outcome page is kept from search engines and out of the sitemap', async ({
  page,
  request,
}) => {
  const sitemap = await (await request.get('/sitemap.xml')).text();
  for (const { path, meta } of await allServed(page, request, unlisted)) {
    expect(meta.robots, path).toContain('noindex');
    expect(sitemap).not.toContain(path);
  }
});

test('every page says how it is shown when shared, with a picture that is there', async ({
  page,
  request,
}) => {
  for (const { path, title, meta } of await allServed(page, request, pages)) {
    expect(meta, path).toMatchObject({
      'og:title': title,
      'og:description': meta.description,
      'og:url': site.url + path,
      'og:site_name': site.name,
      'og:type': path.startsWith('/blog/') ? 'article' : 'website',
      'og:image': expect.stringContaining(`${site.url}/og/`),
      'twitter:card': 'summary_large_image',
      'twitter:image': meta['og:image'],
    });
    const picture = meta['og:image']?.replace(site.url, '') ?? '';
    const png = await (await request.get(picture)).body();
    expect([png.readUInt32BE(16), png.readUInt32BE(20)], path).toEqual([1200, 630]);
  }
});

test('an unknown address gets a designed page with status 404 and ways on', async ({
  page,
  problems,
}) => {
  problems.expect(/status of 404/);
  const answer = await page.goto('/no-such-page?x=1');
  expect(answer?.status()).toBe(404);
  await expect(page.locator('h1')).toHaveCount(1);
  const main = page.locator('main');
  for (const href of ['/', '/services', '/contact']) {
    await expect(main.locator(`a[href="${href}"]`), href).toBeVisible();
  }
  await expect(page.getByRole('navigation', { name: 'Main menu' }).first()).toBeVisible();
  expect(await meta(page, 'robots')).toContain('noindex');
  await main.locator('a[href="/services"]').click();
  await expect(page).toHaveURL('/services');
});

test('an unknown post says so with status 404 and leads back to the blog', async ({
  page,
  problems,
}) => {
  problems.expect(/status of 404/);
  const answer = await page.goto('/blog/no-such-post');
  expect(answer?.status()).toBe(404);
  await expect(page.locator('h1')).toHaveText('Blog Post Not Found');
  await expect(page).toHaveTitle(/Blog Post Not Found/);
  expect(await meta(page, 'robots')).toContain('noindex');
  await page.getByRole('link', { name: 'Return to Blog', exact: true }).click();
  await expect(page).toHaveURL('/blog');
});

test('a trailing slash redirects for good to the plain address', async ({ request }) => {
  for (const path of pages.filter((entry) => entry !== '/')) {
    const answer = await request.get(`${path}/?from=ad`, { maxRedirects: 0 });
    expect(answer.status(), path).toBe(308);
    expect(answer.headers().location, path).toBe(`${path}?from=ad`);
  }
});
