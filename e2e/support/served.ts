/** Pages as they are served, read without laying them out: nothing runs, nothing is painted. */
import type { APIRequestContext, Page } from '@playwright/test';

type Served = {
  path: string;
  status: number;
  lang: string;
  title: string;
  headings: string[];
  /** `meta` elements by their name or property. */
  meta: Record<string, string>;
  canonical: string[];
};

/** `page` only lends its parser; it can be anywhere. */
async function served(page: Page, request: APIRequestContext, path: string): Promise<Served> {
  const answer = await request.get(path, { maxRedirects: 0 });
  const facts = await page.evaluate(read, await answer.text());
  return { path, status: answer.status(), ...facts };
}

export const allServed = (page: Page, request: APIRequestContext, paths: string[]) =>
  Promise.all(paths.map((path) => served(page, request, path)));

/** Runs in the browser. */
function read(html: string) {
  const document = new DOMParser().parseFromString(html, 'text/html');
  const all = (selector: string) => [...document.querySelectorAll(selector)];
  const values = (selector: string, attribute: string) =>
    all(selector).map((node) => node.getAttribute(attribute) ?? '');
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
  };
}
