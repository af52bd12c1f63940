/** The files for search engines, feed readers, browsers and researchers. */
import type { APIRequestContext } from '@playwright/test';
import { listed } from '../support/routes.ts';
import { site } from '../support/site.ts';
import { expect, test } from '../support/test.ts';

async function read(request: APIRequestContext, path: string, type: string) {
  const answer = await request.get(path);
  expect(answer.status(), path).toBe(200);
  expect(answer.headers()['content-type'], path).toContain(type);
  return answer.text();
}

test('each file is there, as what it is, for this site', async ({ request }) => {
  const files: [path: string, type: string, says: string | RegExp][] = [
    ['/robots.txt', 'text/plain', `Sitemap: ${site.url}/sitemap.xml`],
    ['/feed.xml', 'application/atom+xml', `<id>${site.url}/blog</id>`],
    ['/site.webmanifest', 'manifest+json', `"name": "${site.name}"`],
    ['/.well-known/security.txt', 'text/plain', /^Expires: 2027-11-13T00:00:00Z$/m],
    ['/llms.txt', 'text/plain', new RegExp(`^# ${site.name}\n\n> `)],
    ['/favicon.ico', 'image/', ''],
  ];
  for (const [path, type, says] of files) {
    const text = await read(request, path, type);
    if (typeof says === 'string') expect(text, path).toContain(says);
    else expect(text, path).toMatch(says);
  }
});

test('the sitemap has every listed page and nothing else', async ({ page, request }) => {
  const text = await read(request, '/sitemap.xml', 'xml');
  const found = await page.evaluate((xml) => {
    const document = new DOMParser().parseFromString(xml, 'application/xml');
    return [...document.querySelectorAll('url > loc')].map((loc) => loc.textContent);
  }, text);
  expect(found.toSorted()).toEqual(listed.map((path) => site.url + path).toSorted());
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
