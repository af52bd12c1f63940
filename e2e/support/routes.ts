/** The addresses of the site: those its contract names, and all there are. */
import { readdirSync } from 'node:fs';
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

/** What must be there, whatever else is. */
export const promised = [
  ...navigation.map(({ path }) => path),
  ...postSlugs.map((slug) => `/blog/${slug}`),
  '/terms',
  '/privacy',
  '/checkout/success',
  '/contact/sent',
];

const posts = readdirSync(new URL('../../content/posts', import.meta.url)).map(
  (file) => `/blog/${file.replace('.md', '')}`,
);
const paths = (wanted: typeof routes) =>
  wanted.flatMap(({ path }) => (path === '/blog/:slug' ? posts : [path]));

/** What search engines may list and links lead to. */
export const listed = paths(routes.filter(({ unlisted }) => !unlisted));

/** What a visitor reaches only as the outcome of something. */
export const unlisted = paths(routes.filter(({ unlisted }) => unlisted));

export const pages = [...listed, ...unlisted];

/** Both names of each service's section. */
export const serviceSections = [
  { id: 'website-design', anchor: 'websites', footer: 'Websites' },
  { id: 'ai-chatbots', anchor: 'chatbots', footer: 'Chatbots' },
  { id: 'business-automation', anchor: 'automation', footer: 'Automation' },
];
