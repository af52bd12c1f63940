/** The addresses of the site, and the sections of its services. */
import { routes } from '../../web/src/routes.ts';

export const postSlugs = [
  'ai-tools-save-time',
  'ai-chatbots-convert',
  'business-automation-basics',
];

export const navigation = [
  { name: 'Home', path: '/' },
  { name: 'Services', path: '/services' },
  { name: 'Pricing', path: '/pricing' },
  { name: 'About', path: '/about' },
  { name: 'Blog', path: '/blog' },
  { name: 'Contact', path: '/contact' },
];

/** The tests' content has no two posts of one category, so no category has a page. */
const several: Record<string, string[]> = {
  '/blog/:slug': postSlugs.map((slug) => `/blog/${slug}`),
  '/blog/category/:slug': [],
};
const paths = (wanted: typeof routes) => wanted.flatMap(({ path }) => several[path] ?? [path]);

/** What search engines may list and links lead to. */
export const listed = paths(routes.filter(({ unlisted }) => !unlisted));

/** What a visitor reaches only as the outcome of something. */
export const unlisted = paths(routes.filter(({ unlisted }) => unlisted));

export const pages = [...listed, ...unlisted];

/** One page of each kind: posts have one layout, and so have legal texts. */
export const kinds = pages.filter(
  (path) => path !== '/terms' && !postSlugs.slice(1).includes(path.replace('/blog/', '')),
);

/** Both names of each service's section. */
export const serviceSections = [
  { id: 'website-design', anchor: 'websites', footer: 'Websites' },
  { id: 'ai-chatbots', anchor: 'chatbots', footer: 'Chatbots' },
  { id: 'business-automation', anchor: 'automation', footer: 'Automation' },
];
