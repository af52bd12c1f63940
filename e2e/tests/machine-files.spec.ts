/** The files for search engines, feed readers, browsers and researchers. */
import type { APIRequestContext } from '@playwright/test';
import { listed, postSlugs } from '../support/routes.ts';
import { site } from '../support/site.ts';
import { expect, test } from '../support/test.ts';

async function read(request: APIRequestContext, path: string, type: string) {
  const answer = await request.get(path);
  expect(answer.status(), path).toBe(200);
  expect(answer.headers()['content-type'], path).toContain(type);
  return answer.text();
}

test('robots.txt lets everyone in and points to the sitemap', async ({ request }) => {
  const text = await read(request, '/robots.txt', 'text/plain');
  expect(text).toContain('User-agent: *');
  expect(text).not.toMatch(/^Disallow: \/\S*/m);
  expect(text).toContain(`Sitemap: ${site.url}/sitemap.xml`);
});

test('the sitemap has every listed page and nothing else', async ({ page, request }) => {
  const text = await read(request, '/sitemap.xml', 'xml');
  const found = await page.evaluate((xml) => {
    const document = new DOMParser().parseFromString(xml, 'application/xml');
    return [...document.querySelectorAll('url > loc')].map((loc) => loc.textContent);
  }, text);
  expect(found.toSorted()).toEqual(listed.map((path) => site.url + path).toSorted());
});

test('the feed is well-formed Atom with every post', async ({ page, request }) => {
  const text = await read(request, '/feed.xml', 'application/atom+xml');
  const feed = await page.evaluate((xml) => {
    const document = new DOMParser().parseFromString(xml, 'application/xml');
    const value = (parent: ParentNode, name: string) => parent.querySelector(name)?.textContent;
    return {
      root: document.documentElement.namespaceURI,
      broken: document.querySelector('parsererror') !== null,
      updated: value(document, 'feed > updated'),
      entries: [...document.querySelectorAll('entry')].map((entry) => ({
        id: value(entry, 'id'),
        title: value(entry, 'title'),
        updated: value(entry, 'updated'),
        author: value(entry, 'author > name'),
        content: value(entry, 'content'),
      })),
    };
  }, text);
  expect(feed.broken).toBe(false);
  expect(feed.root).toBe('http://www.w3.org/2005/Atom');
  expect(feed.updated).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  const ids = feed.entries.map((entry) => entry.id);
  expect(ids.toSorted()).toEqual(postSlugs.map((slug) => `${site.url}/blog/${slug}`).toSorted());
  for (const entry of feed.entries) {
    expect(entry.title).toBeTruthy();
    expect(entry.author).toBe(`The ${site.name} team`);
    expect(entry.updated).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(entry.content?.length).toBeGreaterThan(3000);
  }
});

test('the manifest names the site and icons of the sizes it claims', async ({ request }) => {
  const manifest = JSON.parse(await read(request, '/site.webmanifest', 'manifest+json'));
  expect(manifest.name).toBe(site.name);
  expect(manifest.start_url).toBe('/');
  expect(manifest.icons.length).toBeGreaterThanOrEqual(2);
  for (const { src, sizes } of manifest.icons) {
    const png = await (await request.get(src)).body();
    expect(`${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`, src).toBe(sizes);
  }
});

test('security.txt says whom to write to, and until when', async ({ request }) => {
  const text = await read(request, '/.well-known/security.txt', 'text/plain');
  expect(text).toContain(`Contact: mailto:${site.email}`);
  expect(text).toMatch(/^Expires: 2027-11-13T00:00:00Z$/m);
});

test('llms.txt sums the site up and links its pages', async ({ request }) => {
  const text = await read(request, '/llms.txt', 'text/plain');
  expect(text).toMatch(new RegExp(`^# ${site.name}\n\n> `));
  for (const path of [
    '/',
    '/services',
    '/pricing',
    '/blog',
    ...postSlugs.map((s) => `/blog/${s}`),
  ]) {
    expect(text).toContain(`](${site.url}${path})`);
  }
});

test('the favicon is an icon', async ({ request }) => {
  const answer = await request.get('/favicon.ico');
  expect(answer.status()).toBe(200);
  expect([...(await answer.body()).subarray(0, 4)]).toEqual([0, 0, 1, 0]);
});
