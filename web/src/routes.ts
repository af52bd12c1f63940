/**
 * The route table: the one place that says which page stands at which path.
 * A page's name is its folder in `pages/`.
 */
import type { PageModule, Params, View } from './lib/page.ts';

const modules = import.meta.glob<PageModule>('./pages/*/page.tsx');

export const routes = [
  { path: '/', page: 'home' },
  { path: '/services', page: 'services' },
  { path: '/pricing', page: 'pricing' },
  { path: '/about', page: 'about' },
  { path: '/blog', page: 'blog' },
  { path: '/blog/:slug', page: 'post' },
  { path: '/contact', page: 'contact' },
  { path: '/contact/sent', page: 'contact-sent' },
  { path: '/checkout/success', page: 'checkout-success' },
  { path: '/privacy', page: 'privacy' },
  { path: '/terms', page: 'terms' },
] as const;

export type Match = { path: string; page: string; params: Params };

/** The page behind a path of ours, or nothing. */
export function match(path: string): Match | undefined {
  const slug = /^\/blog\/([^/]+)$/.exec(path)?.[1];
  if (slug !== undefined) return { path, page: 'post', params: { slug } };
  const route = routes.find((candidate) => candidate.path === path);
  return route && { path, page: route.page, params: {} };
}

export const notFound: Match = { path: '/404', page: 'not-found', params: {} };

export const moduleFile = (page: string) => `./pages/${page}/page.tsx`;

/** Loads all a page needs to be rendered at once, without a waiting state. */
export async function open({ path, page, params }: Match): Promise<View> {
  const load = modules[moduleFile(page)];
  if (!load) throw new Error(`there is no page ${page}`);
  const module = await load();
  await module.prepare?.(params);
  return { path, params, module };
}
