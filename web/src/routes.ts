/** The route table: which page is at which path. A page's name is its folder in `pages/`. */
import type { Target } from './lib/page.ts';

type Route = {
  path: string;
  page: string;
  /** The outcome of something: no link leads to it, and search engines may not list it. */
  unlisted?: boolean;
};

export const routes: Route[] = [
  { path: '/', page: 'home' },
  { path: '/services', page: 'services' },
  { path: '/pricing', page: 'pricing' },
  { path: '/about', page: 'about' },
  { path: '/blog', page: 'blog' },
  { path: '/blog/:slug', page: 'post' },
  { path: '/blog/category/:slug', page: 'category' },
  { path: '/contact', page: 'contact' },
  { path: '/contact/sent', page: 'contact-sent', unlisted: true },
  { path: '/checkout/success', page: 'checkout-success', unlisted: true },
  { path: '/privacy', page: 'legal' },
  { path: '/terms', page: 'legal' },
];

export function targetAt(path: string): Target | undefined {
  const at = (wanted: string) => routes.find((route) => route.path === wanted);
  const route = at(path) ?? at(path.replace(/[^/]+$/, ':slug'));
  const slug = path.slice(path.lastIndexOf('/') + 1);
  return route && { path, page: route.page, slug, listed: !route.unlisted };
}

/** Whether a page of ours is at a path; any post's name counts. */
export const isPage = (path: string): boolean => targetAt(path) !== undefined;
