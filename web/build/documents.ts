/** The files for machines: robots, sitemap, feed, manifest, llms.txt, security.txt. */
import type { Content } from '../src/content/types.ts';
import { changeDate, lastChange } from '../src/lib/dates.ts';
import { escapeHtml as xml } from '../src/lib/escape-html.ts';
import type { PageMeta } from '../src/lib/head.ts';
import { backgroundColour } from './recolour.ts';

const day = 24 * 60 * 60 * 1000;

export function machineDocuments(content: Content, metas: PageMeta[], now: Date) {
  const listed = metas.filter((meta) => meta.index);
  return [
    { path: '/robots.txt', data: robots(content) },
    { path: '/sitemap.xml', data: sitemap(content, listed) },
    { path: '/feed.xml', data: feed(content), type: 'application/atom+xml; charset=utf-8' },
    { path: '/site.webmanifest', data: webManifest(content) },
    { path: '/llms.txt', data: llms(content, listed) },
    { path: '/.well-known/security.txt', data: security(content, now) },
  ];
}

const robots = ({ site }: Content) =>
  `User-agent: *\nAllow: /\n\nSitemap: ${site.url}/sitemap.xml\n`;

function sitemap({ site }: Content, metas: PageMeta[]): string {
  const urls = metas.map(({ path, modified }) => {
    const lastmod = modified ? `<lastmod>${modified}</lastmod>` : '';
    return `  <url><loc>${xml(site.url + path)}</loc>${lastmod}</url>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join('\n')}
</urlset>
`;
}

/** Feed readers need only what is new. */
const postsInFeed = 50;

function feed({ site, posts, pages }: Content): string {
  const entries = posts.slice(0, postsInFeed).map(
    (post) => `  <entry>
    <id>${xml(`${site.url}/blog/${post.slug}`)}</id>
    <title>${xml(post.title)}</title>
    <link href="${xml(`${site.url}/blog/${post.slug}`)}"/>
    <published>${post.date}T12:00:00Z</published>
    <updated>${changeDate(post)}T12:00:00Z</updated>
    <author><name>${xml(post.author)}</name></author>
${post.categories.map((category) => `    <category term="${xml(category)}"/>`).join('\n')}
    <summary>${xml(post.excerpt)}</summary>
    <content type="html">${xml(forFeedReaders(post.html, site.url))}</content>
  </entry>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en-CA">
  <id>${xml(`${site.url}/blog`)}</id>
  <title>${xml(`${site.name} · ${pages.blog.head.title}`)}</title>
  <subtitle>${xml(site.tagline)}</subtitle>
  <link href="${xml(`${site.url}/blog`)}"/>
  <link rel="self" type="application/atom+xml" href="${xml(`${site.url}/feed.xml`)}"/>
  <updated>${lastChange(posts) ?? '1970-01-01'}T12:00:00Z</updated>
  <author><name>${xml(site.name)}</name></author>
${entries.join('\n')}
</feed>
`;
}

/** A text for a feed reader: with absolute addresses, and one file for each photo. */
const forFeedReaders = (html: string, url: string) =>
  html.replaceAll(/<source [^>]*>/g, '').replaceAll(/ (href|src)="\//g, ` $1="${url}/`);

function webManifest({ site, pages }: Content): string {
  const icon = (src: string, size: number, purpose: string) => ({
    src,
    sizes: `${size}x${size}`,
    type: 'image/png',
    purpose,
  });
  const manifest = {
    name: site.name,
    short_name: site.name,
    description: pages.home.head.description,
    start_url: '/',
    display: 'browser',
    background_color: backgroundColour(site.brand),
    theme_color: backgroundColour(site.brand),
    icons: [
      icon('/icon-192.png', 192, 'any'),
      icon('/icon-512.png', 512, 'any'),
      icon('/icon-maskable-512.png', 512, 'maskable'),
    ],
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

function llms({ site, posts, services, pages, legal }: Content, metas: PageMeta[]): string {
  const line = (label: string, path: string, text: string) =>
    `- [${label}](${site.url}${path}): ${text}`;
  const isLegal = (meta: PageMeta) => legal.some(({ slug }) => meta.path === `/${slug}`);
  const main = metas.filter((meta) => !meta.article && !isLegal(meta));
  return `# ${site.name}

> ${site.tagline}. ${pages.home.head.description}

## Pages
${main.map((meta) => line(meta.picture.title, meta.path, meta.description)).join('\n')}

## Services
${services.map((service) => line(service.title, `/services#${service.id}`, service.short_description)).join('\n')}

## Blog
${posts.map((post) => line(post.title, `/blog/${post.slug}`, post.excerpt)).join('\n')}

## Contact
- E-mail: ${site.email}${site.phone ? `\n- Phone: ${site.phone}` : ''}
- [${pages.home.hero.booking}](${site.booking_url})
`;
}

/** RFC 9116 asks for an end date of at most about a year. */
const security = ({ site }: Content, now: Date) => `Contact: mailto:${site.email}
Expires: ${new Date(now.getTime() + 360 * day).toISOString().slice(0, 10)}T00:00:00Z
Preferred-Languages: en
Canonical: ${site.url}/.well-known/security.txt
`;
