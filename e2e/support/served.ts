/** Pages as they are served, read without laying them out: nothing runs, nothing is painted. */
import type { APIRequestContext, Page } from '@playwright/test';
import { site } from './site.ts';

export type Served = {
  path: string;
  status: number;
  lang: string;
  title: string;
  headings: string[];
  /** `meta` elements by their name or property. */
  meta: Record<string, string>;
  canonical: string[];
  /** Structured data, one text for each block. */
  data: string[];
  ids: string[];
  /** All it points to inside the site, as absolute paths. */
  links: string[];
  files: string[];
  /** Pictures without an alternative text or without their room kept free. */
  barePictures: string[];
};

/** `page` only lends its parser; it can be anywhere. */
export async function served(
  page: Page,
  request: APIRequestContext,
  path: string,
): Promise<Served> {
  const answer = await request.get(path, { maxRedirects: 0 });
  const facts = await page.evaluate(read, { html: await answer.text(), path, siteUrl: site.url });
  return { path, status: answer.status(), ...facts };
}

export const allServed = (page: Page, request: APIRequestContext, paths: string[]) =>
  Promise.all(paths.map((path) => served(page, request, path)));

/** Runs in the browser. */
function read({ html, path, siteUrl }: { html: string; path: string; siteUrl: string }) {
  const document = new DOMParser().parseFromString(html, 'text/html');
  const all = (selector: string) => [...document.querySelectorAll(selector)];
  const values = (selector: string, attribute: string) =>
    all(selector).map((node) => node.getAttribute(attribute) ?? '');
  const local = (value: string) => {
    const url = new URL(value, siteUrl + path);
    return url.origin === new URL(siteUrl).origin ? [url.pathname + url.search + url.hash] : [];
  };
  const inStyles = all('style').flatMap((style) =>
    [...(style.textContent ?? '').matchAll(/url\("?([^")]+)"?\)/g)].map((match) => match[1] ?? ''),
  );
  const sets = values('[srcset]', 'srcset').flatMap((set) =>
    set.split(',').map((entry) => entry.trim().split(' ')[0] ?? ''),
  );
  const files = [
    ...values('link[href]:not([rel=canonical])', 'href'),
    ...values('[src]', 'src'),
    ...values('meta[property="og:image"], meta[name="twitter:image"]', 'content'),
    ...sets,
    ...inStyles,
  ];
  return {
    lang: document.documentElement.lang,
    title: document.title,
    headings: all('h1').map((heading) => heading.textContent?.trim() ?? ''),
    meta: Object.fromEntries(
      all('meta[content]').map((meta) => [
        meta.getAttribute('name') ?? meta.getAttribute('property') ?? '',
        meta.getAttribute('content') ?? '',
      ]),
    ),
    canonical: values('link[rel=canonical]', 'href'),
    data: all('script[type="application/ld+json"]').map((block) => block.textContent ?? ''),
    ids: values('[id]', 'id'),
    links: values('a[href], area[href]', 'href').flatMap(local),
    files: files.filter((value) => !value.startsWith('data:')).flatMap(local),
    barePictures: all('img')
      .filter((image) => !image.hasAttribute('alt') || !image.getAttribute('width'))
      .map((image) => image.outerHTML),
  };
}
