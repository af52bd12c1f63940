/** The addresses of the site: those its contract names, and all there are. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { frozen } from '../../web/build/testing/frozen.ts';
import { addressPart } from '../../web/src/lib/address-part.ts';
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

const folder = join(frozen.content, 'posts');
const posts = readdirSync(folder)
  .filter((file) => file.endsWith('.md'))
  .map((file) => {
    const [, frontMatter = ''] = readFileSync(join(folder, file), 'utf8').split(/^\+\+\+$/m);
    const { draft, categories } = parse(frontMatter) as { draft?: boolean; categories: string[] };
    return { path: `/blog/${file.replace('.md', '')}`, draft, categories };
  })
  .filter(({ draft }) => !draft);
const named = posts.flatMap((post) => post.categories);
/** From the second post on a category has a page. */
const categories = [...new Set(named.filter((name, at) => named.indexOf(name) < at))];

const several: Record<string, string[]> = {
  '/blog/:slug': posts.map(({ path }) => path),
  '/blog/category/:slug': categories.map((name) => `/blog/category/${addressPart(name)}`),
};
const paths = (wanted: typeof routes) => wanted.flatMap(({ path }) => several[path] ?? [path]);

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
