/**
 * Pages of this site, fetched and parsed before they are shown. They must have the same version as the page on screen, so
 * that their HTML fits its styles and scripts.
 */
export type FetchedPage = {
  /** The tags of the head that are the page's own. */
  head: Element[];
  /** `aria-current` of the links in the bar, in their order. */
  current: (string | null)[];
  /** As it was served, to be copied. */
  main: HTMLElement;
  css: string;
};

const cacheSize = 8;
const fetchTimeout = 10_000;
const fetched = new Map<string, Promise<FetchedPage>>();

/** Rejects if the page cannot be put in place here and must be loaded. */
export function fetchPage(path: string): Promise<FetchedPage> {
  const page = fetched.get(path) ?? load(path);
  // Inserted again, so that the page used last is removed last.
  fetched.delete(path);
  fetched.set(path, page);
  for (const oldest of [...fetched.keys()].slice(0, -cacheSize)) fetched.delete(oldest);
  page.catch(() => fetched.delete(path));
  return page;
}

async function load(path: string): Promise<FetchedPage> {
  const headers = { accept: 'text/html' };
  const response = await fetch(path, { headers, signal: AbortSignal.timeout(fetchTimeout) });
  if (!response.ok || response.redirected) throw new Error(`${path}: ${response.status}`);
  const page = parsePage(await response.text());
  if (!page) throw new Error(`${path} is of another version`);
  return page;
}

/** Styles are removed before parsing: this page's Content-Security-Policy applies even to a document that is only parsed. */
function parsePage(html: string): FetchedPage | undefined {
  const css = /<style id="page-styles">(.*?)<\/style>/s.exec(html)?.[1];
  const bare = html.replaceAll(/<style.*?<\/style>/gs, '');
  const parsed = new DOMParser().parseFromString(bare, 'text/html');
  const main = parsed.querySelector('main');
  if (css === undefined || !main || versionOf(parsed) !== versionOf(document)) return undefined;
  const links = [...parsed.querySelectorAll('header nav a')];
  return {
    head: [...parsed.head.querySelectorAll('[data-page]')].map((node) => document.adoptNode(node)),
    current: links.map((link) => link.getAttribute('aria-current')),
    main,
    css,
  };
}

const versionOf = (page: Document) =>
  page.querySelector<HTMLMetaElement>('meta[name=pages-version]')?.content;
