/** The build's side of the app: which pages there are to make, and their HTML. */
import posts from 'content:posts';
import { renderToStaticMarkup } from 'react-dom/server';
import { App } from './app.tsx';
import { categories } from './lib/categories.ts';
import { headOf, type PageMeta, printHead } from './lib/head.ts';
import type { Target } from './lib/page.ts';
import { loadPage } from './load-page.ts';
import { newsletterPages } from './pages/newsletter-outcome/names.ts';
import { notFound, pathless, routes, targetAt } from './routes.ts';

/** A page to make a file of. */
export type PageFile = Target & {
  /** Templates have no path of their own: the server sends them where they fit. */
  template?: string;
  status: number;
  /** Without one nothing comes to life: the server fills in its texts. */
  script: boolean;
};

/** What stands at a path of which there are several. */
const several: Record<string, string[]> = {
  '/blog/:slug': posts.map((post) => `/blog/${post.slug}`),
  '/blog/category/:slug': categories.map(({ path }) => path),
};

export function pageFiles(): PageFile[] {
  const paths = routes.flatMap(({ path }) => several[path] ?? [path]);
  return [
    ...paths.map((path) => ({ ...(targetAt(path) as Target), status: 200, script: true })),
    { ...notFound, template: 'not-found', status: 404, script: true },
    {
      ...pathless('/blog/not-found', 'post'),
      template: 'post-not-found',
      status: 404,
      script: true,
    },
    {
      ...pathless('/contact', 'contact-outcome'),
      template: 'contact-outcome',
      status: 422,
      script: false,
    },
    ...newsletterPages.map((name) => ({
      ...pathless('/newsletter', 'newsletter-outcome', name),
      template: `newsletter-${name.replace('_', '-')}`,
      status: 200,
      script: false,
    })),
  ];
}

export async function render(
  target: Target,
): Promise<{ html: string; head: string; meta: PageMeta }> {
  const view = await loadPage(target);
  const meta = headOf(view);
  return { html: renderToStaticMarkup(<App view={view} />), head: printHead(meta), meta };
}
