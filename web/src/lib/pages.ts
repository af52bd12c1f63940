/**
 * Pages of this site as HTML, fetched and read ahead of being shown. Only a
 * page of the very release that is on screen will do: its HTML fits the styles
 * and scripts that are here.
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

const mostFetched = 8;
const fetchTimeout = 10_000;
const fetched = new Map<string, Promise<FetchedPage>>();

/** Rejects whatever is no page to put in place here: then the address is to be loaded. */
export function fetchPage(path: string): Promise<FetchedPage> {
  const page = fetched.get(path) ?? load(path);
  // The one asked for last is the last to go.
  fetched.delete(path);
  fetched.set(path, page);
  for (const oldest of [...fetched.keys()].slice(0, -mostFetched)) fetched.delete(oldest);
  page.catch(() => fetched.delete(path));
  return page;
}

async function load(path: string): Promise<FetchedPage> {
  const headers = { accept: 'text/html' };
  const response = await fetch(path, { headers, signal: AbortSignal.timeout(fetchTimeout) });
  if (!response.ok || response.redirected) throw new Error(`${path}: ${response.status}`);
  const page = read(await response.text());
  if (!page) throw new Error(`${path} is of another release`);
  return page;
}

/** Styles are taken out first: a document that is only read is held to this page's policy all the same. */
function read(html: string): FetchedPage | undefined {
  const css = /<style id="page-styles">(.*?)<\/style>/s.exec(html)?.[1];
  const bare = html.replaceAll(/<style.*?<\/style>/gs, '');
  const parsed = new DOMParser().parseFromString(bare, 'text/html');
  const main = parsed.querySelector('main');
  if (css === undefined || !main || releaseOf(parsed) !== releaseOf(document)) return undefined;
  const links = [...parsed.querySelectorAll('header nav a')];
  return {
    head: [...parsed.head.querySelectorAll('[data-page]')].map((node) => document.adoptNode(node)),
    current: links.map((link) => link.getAttribute('aria-current')),
    main,
    css,
  };
}

const releaseOf = (page: Document) =>
  page.querySelector<HTMLMetaElement>('meta[name=release]')?.content;
