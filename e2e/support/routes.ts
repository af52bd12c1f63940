/** The addresses of the site, as its contract names them. */

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

/** What search engines may list and links lead to. */
export const listed = [
  ...navigation.map(({ path }) => path),
  ...postSlugs.map((slug) => `/blog/${slug}`),
  '/terms',
  '/privacy',
];

/** What a visitor reaches only as the outcome of something. */
export const unlisted = ['/checkout/success', '/contact/sent'];

export const pages = [...listed, ...unlisted];

/** Both names of each service's section. */
export const serviceSections = [
  { id: 'website-design', anchor: 'websites', footer: 'Websites' },
  { id: 'ai-chatbots', anchor: 'chatbots', footer: 'Chatbots' },
  { id: 'business-automation', anchor: 'automation', footer: 'Automation' },
];
