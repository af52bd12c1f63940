/** What every address answers, and what its head tells search engines and link previews. */
import type { Page } from '@playwright/test';
import { listed, pages, postSlugs, unlisted } from '../support/routes.ts';
import { site } from '../support/site.ts';
import { expect, test } from '../support/test.ts';

const meta = (page: Page, name: string) =>
  page.locator(`meta[name="${name}"], meta[property="${name}"]`).getAttribute('content');

test('every page answers 200 with one first heading and a title and description of its own', async ({
  page,
}) => {
  const titles = new Set<string>();
  const descriptions = new Set<string>();
  for (const path of pages) {
    const answer = await page.goto(path);
    expect(answer?.status(), path).toBe(200);
    await expect(page.locator('h1'), path).toHaveCount(1);
    await expect(page.locator('h1'), path).toHaveText(/\S/);
    await expect(page.locator('html'), path).toHaveAttribute('lang', 'en-CA');
    titles.add(await page.title());
    descriptions.add((await meta(page, 'description')) ?? '');
  }
  expect(titles.size).toBe(pages.length);
  expect(descriptions.size).toBe(pages.length);
});

test('every listed page names its own canonical address', async ({ page }) => {
  for (const path of listed) {
    await page.goto(path);
    const canonical = page.locator('link[rel=canonical]');
    await expect(canonical, path).toHaveCount(1);
    await expect(canonical, path).toHaveAttribute('href', site.url + path);
    await expect(page.locator('meta[name=robots][content*=noindex]'), path).toHaveCount(0);
  }
});

test('every outcome page is kept from search engines and out of the sitemap', async ({
  page,
  request,
}) => {
  const sitemap = await (await request.get('/sitemap.xml')).text();
  for (const path of unlisted) {
    await page.goto(path);
    expect(await meta(page, 'robots'), path).toContain('noindex');
    expect(sitemap).not.toContain(path);
  }
});

test('every page says how it is shown when shared, with a picture that is there', async ({
  page,
  request,
}) => {
  for (const path of pages) {
    await page.goto(path);
    expect(await meta(page, 'og:title'), path).toBe(await page.title());
    expect(await meta(page, 'og:description'), path).toBe(await meta(page, 'description'));
    expect(await meta(page, 'og:url'), path).toBe(site.url + path);
    expect(await meta(page, 'og:site_name'), path).toBe(site.name);
    expect(await meta(page, 'og:type'), path).toBe(
      path.startsWith('/blog/') ? 'article' : 'website',
    );
    expect(await meta(page, 'twitter:card'), path).toBe('summary_large_image');
    const picture = await meta(page, 'og:image');
    expect(await meta(page, 'twitter:image'), path).toBe(picture);
    expect(picture, path).toMatch(`${site.url}/og/`);
    const png = await (await request.get(picture?.replace(site.url, '') ?? '')).body();
    expect([png.readUInt32BE(16), png.readUInt32BE(20)], path).toEqual([1200, 630]);
  }
});

test('structured data parses and describes what each page is about', async ({ page }) => {
  const expected: Record<string, string[]> = {
    '/': ['LocalBusiness', 'Service', 'Service', 'Service'],
    '/services': ['Service', 'Service', 'Service', 'BreadcrumbList'],
    '/pricing': ['BreadcrumbList'],
    '/about': ['BreadcrumbList'],
    '/blog': ['BreadcrumbList'],
    '/contact': ['LocalBusiness', 'FAQPage', 'BreadcrumbList'],
    ...Object.fromEntries(
      postSlugs.map((slug) => [`/blog/${slug}`, ['BlogPosting', 'BreadcrumbList']]),
    ),
  };
  for (const [path, types] of Object.entries(expected)) {
    await page.goto(path);
    const blocks = await page.locator('script[type="application/ld+json"]').allTextContents();
    const data = blocks.map((text) => JSON.parse(text));
    const found = data.map((entry) => entry['@type']);
    expect(found, path).toEqual(expect.arrayContaining(types));
    for (const entry of data) expect(entry['@context']).toBe('https://schema.org');
    const post = data.find((entry) => entry['@type'] === 'BlogPosting');
    if (post) {
      await expect(page.locator('h1')).toHaveText(post.headline);
      expect(post.image).toContain(site.url);
    }
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
