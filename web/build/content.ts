/**
 * Reads `content/`, checks it and returns it as plain data.
 *
 * Order: parse, put the site's facts into the texts, check against the schema, which also finds the pictures. All
 * mistakes are reported together, each with its file and field; only those of the site's own files come first, because
 * every other file depends on them. Internal links are only collected here: they are checked once the pages, and so
 * their section ids, exist (`links.ts`).
 */
import type { z } from 'zod';
import * as schema from '../src/content/schema.ts';
import * as siteSchema from '../src/content/site-schema.ts';
import type { Content, LegalText, PageContent } from '../src/content/types.ts';
import { routes } from '../src/routes.ts';
import { ContentReader } from './content-reader.ts';
import { buildDrawings } from './drawings.ts';
import { buildDate } from './paths.ts';
import { categoriesOf, sortedPosts } from './posts.ts';
import { defaultForms, defaultMails, fieldsWith } from './server-facts.ts';

export type LoadedContent = Awaited<ReturnType<typeof loadContent>>;

/** Drafts are left out unless they are asked for. */
export async function loadContent(
  contentDir: string,
  picturesDir: string,
  { drafts = false, now = buildDate() } = {},
) {
  const siteReader = new ContentReader(contentDir);
  const site = await siteReader.toml('site.toml', siteSchema.site);
  const retention = await siteReader.toml('retention.toml', siteSchema.retention);
  siteReader.throwMistakes();
  const markFile = site.brand?.mark;
  const ownMark = markFile === undefined ? undefined : await siteReader.readMark(markFile);
  siteReader.throwMistakes();
  const drawings = await buildDrawings(picturesDir, site.brand, ownMark);
  const basis = { site, retention, drawings: drawings.pictures, files: siteReader.files };
  const reader = new ContentReader(contentDir, basis);

  const mails = await reader.toml('mails.toml', siteSchema.mails, defaultMails);
  const forms = await reader.toml('forms.toml', siteSchema.forms, defaultForms);
  const pages = {} as Record<string, unknown>;
  for (const [name, pageSchema] of Object.entries(schema.pageSchemas)) {
    pages[name] = await reader.toml(`${name}.toml`, pageSchema as z.ZodType);
  }
  const { layout } = pages as Partial<PageContent>;
  reader.checkNavWidth(layout?.nav);
  const names = { table: layout?.table ?? '', code: layout?.code ?? '' };
  const services = await reader.readFolder('services', '.toml', async (file) => {
    const service = await reader.toml(file, schema.service);
    for (const name of ['id', 'anchor'] as const) {
      const id = service?.[name];
      if (id) reader.uniqueId('services', file, name, id);
    }
    return service;
  });
  reader.checkCount('services', services, 1, 12);
  const posts = await reader.readFolder('posts', '.md', async (file) => {
    if (!drafts && (await reader.isDraft(file))) return undefined;
    const slug = reader.slug(file);
    const post = await reader.markdown(file, schema.postFrontMatter, `/blog/${slug}`, names);
    if (!post) return undefined;
    reader.checkTitle(file, 'title', post.short_title ?? post.title);
    return { ...post, slug, id: reader.uniqueId('posts', file, 'id', post.id ?? slug) };
  });
  reader.checkCategories(posts);
  const legal: LegalText[] = [];
  for (const { path } of routes.filter(({ page }) => page === 'legal')) {
    const file = `legal${path}.md`;
    const text = await reader.markdown(file, schema.legalFrontMatter, path, names);
    if (text) reader.checkTitle(file, 'title', text.title);
    legal.push({ ...text, slug: path.slice(1) });
  }
  const replies = await reader.readFolder('replies', '.md', (file) => reader.reply(file));
  await reader.checkUnreadFiles();
  reader.throwMistakes();

  const sorted = sortedPosts(posts, (pages as PageContent).blog);
  const content = {
    site,
    retention,
    mails,
    messages: forms.messages,
    fields: fieldsWith(forms.labels),
    pages,
    services: services.sort((a, b) => a.order - b.order),
    posts: sorted,
    categories: categoriesOf(sorted),
    legal,
    replies,
    mark: drawings.ownMark,
    year: now.getFullYear(),
  } as Content;
  const { links, warnings, photos } = reader;
  const files = new Map([...drawings.files, ...photos.files]);
  return { content, links, warnings, files, mark: drawings.mark };
}
