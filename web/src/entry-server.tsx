/** The build's side of the app: which documents there are, and their HTML. */
import posts from 'content:posts';
import { renderToString } from 'react-dom/server';
import { App } from './app.tsx';
import { type PageMeta, printHead } from './lib/head.ts';
import { newsletterPages } from './pages/newsletter-outcome/names.ts';
import { type Match, match, notFound, open, routes } from './routes.ts';

export type Document = Match & {
  /** Templates have no path of their own: the server sends them where they fit. */
  template?: string;
  status: number;
  /** Without a script a document is not hydrated: the server fills in its texts. */
  script: boolean;
};

export function documents(): Document[] {
  const paths = routes.flatMap(({ path }) =>
    path === '/blog/:slug' ? posts.map((post) => `/blog/${post.slug}`) : [path],
  );
  return [
    ...paths.map((path) => ({ ...(match(path) as Match), status: 200, script: true })),
    { ...notFound, template: 'not-found', status: 404, script: true },
    {
      path: '/blog/not-found',
      page: 'post',
      params: { slug: '' },
      template: 'post-not-found',
      status: 404,
      script: true,
    },
    {
      path: '/contact',
      page: 'contact-outcome',
      params: {},
      template: 'contact-outcome',
      status: 422,
      script: false,
    },
    ...newsletterPages.map((name) => ({
      path: '/newsletter',
      page: 'newsletter-outcome',
      params: { name },
      template: `newsletter-${name.replace('_', '-')}`,
      status: 200,
      script: false,
    })),
  ];
}

export async function render(
  target: Match,
): Promise<{ html: string; head: string; meta: PageMeta }> {
  const view = await open(target);
  const meta = view.module.meta(view.params);
  return { html: renderToString(<App first={view} />), head: printHead(meta), meta };
}
