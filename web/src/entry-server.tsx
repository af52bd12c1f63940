/** The app in the build: which pages there are, and their HTML. */
import { renderToStaticMarkup } from 'react-dom/server';
import { App } from './app.tsx';
import { ContentContext } from './content/context.ts';
import type { Content } from './content/types.ts';
import { headOf, type PageMeta, printHead } from './lib/head.ts';
import type { PageModule, Target } from './lib/page.ts';
import { routes, targetAt } from './routes.ts';

export type PageFile = Target & {
  /** Templates have no path: the server sends them in place of a page. */
  template?: string;
  status: number;
  /** Whether it has a script; pages that the server fills in don't. */
  script: boolean;
};

export function pageFiles({ posts, categories, pages }: Content): PageFile[] {
  const slugPaths: Record<string, string[]> = {
    '/blog/:slug': posts.map((post) => `/blog/${post.slug}`),
    '/blog/category/:slug': categories.map(({ path }) => path),
  };
  const { kicker, ways, ...newsletter } = pages.newsletter;
  const paths = routes.flatMap(({ path }) => slugPaths[path] ?? [path]);
  const unlisted = { listed: false, slug: '' };
  const missing = { ...unlisted, status: 404, script: true };
  const filledIn = { ...unlisted, script: false };
  const refused = 'contact-outcome';
  return [
    ...paths.map((path) => ({ ...(targetAt(path) as Target), status: 200, script: true })),
    { ...missing, path: '/404', page: 'not-found', template: 'not-found' },
    { ...missing, path: '/blog/not-found', page: 'post', template: 'post-not-found' },
    { ...filledIn, path: '/contact', page: refused, template: refused, status: 422 },
    ...Object.keys(newsletter).map((slug) => {
      const template = `newsletter-${slug.replace('_', '-')}`;
      const page = 'newsletter-outcome';
      return { ...filledIn, path: '/newsletter', page, slug, template, status: 200 };
    }),
  ];
}

const modules = import.meta.glob<PageModule>('./pages/*/page.tsx', { eager: true });

type Rendered = { html: string; head: string; meta: PageMeta };

export function render(content: Content, target: Target): Rendered {
  const module = modules[`./pages/${target.page}/page.tsx`];
  if (!module) throw new Error(`there is no page ${target.page}`);
  const view = { ...target, module };
  const meta = headOf(content, view);
  const html = renderToStaticMarkup(
    <ContentContext value={content}>
      <App view={view} />
    </ContentContext>,
  );
  return { html, head: printHead(content.site, meta), meta };
}
