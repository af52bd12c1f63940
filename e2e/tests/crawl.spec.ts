/** Every link, hash and file of the site leads somewhere. */
import type { APIRequestContext } from '@playwright/test';
import { listed, pages, unlisted } from '../support/routes.ts';
import { allServed, type Served, served } from '../support/served.ts';
import { expect, test } from '../support/test.ts';

async function expectThere(request: APIRequestContext, file: string) {
  const answer = await request.get(file);
  expect(answer.status(), file).toBe(200);
  expect((await answer.body()).length, file).toBeGreaterThan(0);
  const isPage = answer.headers()['content-type']?.startsWith('text/html');
  if (file.includes('.')) expect(isPage, file).toBe(false);
}

test('from the home page links lead to every listed page, every hash and every file', async ({
  page,
  request,
}) => {
  const found = new Map<string, Served>();
  const waiting = ['/'];
  const files = new Set<string>();
  const hashes = new Set<string>();
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    const seen = await served(page, request, path);
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
  for (const outcome of await allServed(page, request, unlisted)) {
    for (const file of outcome.files) files.add(file);
  }
  for (const kind of ['.woff2', '.svg', '.png']) {
    const ofKind = [...files].filter((file) => file.endsWith(kind));
    expect(ofKind.length, kind).toBeGreaterThan(0);
  }
  const manifest = await (await request.get('/site.webmanifest')).json();
  for (const { src } of manifest.icons) files.add(src);
  for (const file of files) await expectThere(request, file);
});

test('no page has two elements with one id, and every picture its alternative text and room', async ({
  page,
  request,
}) => {
  for (const { path, ids, barePictures } of await allServed(page, request, pages)) {
    expect(ids.length, path).toBeGreaterThan(0);
    expect(new Set(ids).size, path).toBe(ids.length);
    expect(barePictures, path).toEqual([]);
  }
});
