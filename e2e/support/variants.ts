/** The site with other numbers of things on its pages, for a browser to look at. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';

type Variant = { count: number; filled: boolean } | 'bare';

const program = fileURLToPath(
  new URL('../../web/build/testing/print-variants.ts', import.meta.url),
);

/** The HTML of each page, by variant and path. */
export async function printVariants<Name extends string>(variants: Record<Name, Variant>) {
  const folder = await mkdtemp(join(tmpdir(), 'variants-'));
  await promisify(execFile)(process.execPath, [program, folder, JSON.stringify(variants)]);
  const read = async (name: string) => {
    const pages = JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8'));
    return [name, pages] as const;
  };
  const printed = await Promise.all(Object.keys(variants).map(read));
  await rm(folder, { recursive: true });
  return Object.fromEntries(printed) as Record<Name, Record<string, string>>;
}

/** Opens one of them in place of the page that the program has there; fonts and pictures are the program's. */
export async function openPrinted(page: Page, path: string, html = '') {
  const { pathname } = new URL(path, 'http://any.example');
  const body = { contentType: 'text/html; charset=utf-8', body: html };
  await page.route(
    (url) => url.pathname === pathname,
    (route) => route.fulfill(body),
  );
  await page.goto(path);
}

/** Rows of cards or buttons whose last one stands alone and narrow, as if something were missing. */
export const singleInRow = (page: Page) =>
  page.evaluate(() => {
    const groups = [...document.querySelectorAll('main :is(div, ul, ol)')].filter((group) => {
      const children = [...group.children];
      const isOfOneKind = new Set(children.map(({ localName }) => localName)).size === 1;
      const isEntry = (child: Element) =>
        child.matches('article, a, button') || (child.matches('li') && child.querySelector('h3'));
      return children.length > 1 && isOfOneKind && children.every(isEntry);
    });
    return groups.flatMap((group) => {
      const boxes = [...group.children].map((child) => child.getBoundingClientRect());
      const last = boxes.at(-1) as DOMRect;
      const isWithLast = (box: DOMRect) => box.top < last.bottom && box.bottom > last.top;
      const isAlone = boxes.filter(isWithLast).length === 1;
      const above = boxes.filter((box) => box.bottom <= last.top + 1);
      const isRow = above.some((one) =>
        above.some((two) => one !== two && one.left >= two.right && one.top < two.bottom),
      );
      const isNarrow = last.width < 0.9 * group.getBoundingClientRect().width;
      return isAlone && isRow && isNarrow
        ? [`"${group.lastElementChild?.textContent?.slice(0, 40)}" of ${boxes.length} stands alone`]
        : [];
    });
  });
