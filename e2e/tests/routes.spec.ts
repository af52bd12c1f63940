/** What every address answers: pages, and what their heads tell other programs. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { APIRequestContext, Page } from '@playwright/test';
import { text, unpack } from '../../web/build/pack.ts';
import { frozen } from '../../web/build/testing/frozen.ts';
import { listed, pages, promised } from '../support/routes.ts';
import { site } from '../support/site.ts';
import { expect, test } from '../support/test.ts';

/** A page as it is served. `page` only lends its parser: nothing runs, nothing is painted. */
async function served(page: Page, request: APIRequestContext, path: string) {
  const answer = await request.get(path, { maxRedirects: 0 });
  const facts = await page.evaluate(
    (html) => {
      const { documentElement, title, head, body } = new DOMParser().parseFromString(
        html,
        'text/html',
      );
      const meta = [...head.querySelectorAll('meta[content]')].map((tag) => [
        tag.getAttribute('name') ?? tag.getAttribute('property') ?? '',
        tag.getAttribute('content') ?? '',
      ]);
      return {
        lang: documentElement.lang,
        title,
        headings: [...body.querySelectorAll('h1')].map((heading) => heading.textContent ?? ''),
        canonical: head.querySelector('link[rel=canonical]')?.getAttribute('href'),
        meta: Object.fromEntries(meta) as Record<string, string>,
      };
    },
    await answer.text(),
  );
  return { path, status: answer.status(), ...facts };
}

test('every page has one heading, a title and description of its own, and facts for search and sharing', async ({
  page,
  request,
}) => {
  expect(pages).toEqual(expect.arrayContaining(promised));
  const all = await Promise.all(pages.map((path) => served(page, request, path)));
  for (const { path, title, meta, ...facts } of all) {
    expect.soft(facts, path).toEqual({
      status: 200,
      lang: 'en-CA',
      headings: [expect.stringMatching(/\S/)],
      canonical: listed.includes(path) ? site.url + path : undefined,
    });
    expect.soft(meta.robots ?? '', path).toBe(listed.includes(path) ? '' : 'noindex');
    expect.soft(meta, path).toMatchObject({
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
    expect.soft([png.readUInt32BE(16), png.readUInt32BE(20)], picture).toEqual([1200, 630]);
  }
  expect(new Set(all.map(({ title }) => title)).size).toBe(pages.length);
  expect(new Set(all.map(({ meta }) => meta.description)).size).toBe(pages.length);
  const sitemap = await (await request.get('/sitemap.xml')).text();
  const found = [...sitemap.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, address]) => address);
  expect(found.toSorted()).toEqual(listed.map((path) => site.url + path).toSorted());
});

const checker = fileURLToPath(
  new URL('../html-checker/node_modules/vnu-jar/build/dist/vnu.jar', import.meta.url),
);
type Message = { message: string; url: string; extract?: string };

/** Every page and every template, filled in as the server would. */
async function copyPages(folder: string): Promise<string[]> {
  const files = unpack(await readFile(join(frozen.dist, 'site.pack')));
  await mkdir(folder, { recursive: true });
  return Promise.all(
    files
      .filter(({ kind }) => kind === 'page' || kind === 'template')
      .map(async (file) => {
        const page = text(file)
          .replaceAll(/\{\{\w+_invalid\}\}/g, 'true')
          .replaceAll(/\{\{\w+\}\}/g, 'words')
          // The checker's idea of CSS is years behind; browsers judge the style sheet.
          .replaceAll(/<style.*?<\/style>/gs, '');
        const copy = join(folder, `${file.path.replaceAll('/', '_')}.html`);
        await writeFile(copy, page);
        return copy;
      }),
  );
}

test('every page is valid HTML', async ({ browserName: _ }, testInfo) => {
  const copies = await copyPages(testInfo.outputPath('pages'));
  expect(copies.length).toBeGreaterThan(20);
  // A short run, in which compiling twice and many threads would not pay; the checker needs the stack.
  const quick = ['-Xss4m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
  const args = [...quick, '-jar', checker, '--errors-only', '--exit-zero-always'];
  const { stderr } = await promisify(execFile)('java', [...args, '--format', 'json', ...copies], {
    maxBuffer: 32 * 1024 * 1024,
  });
  const { messages } = JSON.parse(stderr) as { messages: Message[] };
  const errors = messages.map(
    ({ message, url, extract }) => `${url.split('/').at(-1)}: ${message} ${extract ?? ''}`,
  );
  expect(errors).toEqual([]);
});
