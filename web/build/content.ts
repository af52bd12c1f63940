/**
 * Reads `content/`, checks it and hands it on as plain data.
 *
 * Order: parse, put the site's facts into the texts, check against the schema,
 * check that every drawing exists, make photos ready to send. All mistakes are
 * reported together, each with its file and field; only those of the site's facts
 * come first, since every other file leans on them. Internal links are only
 * gathered here: they are checked once the pages, and so their section ids, exist
 * (see `links.ts`).
 */
import type { z } from 'zod';
import { postFrontMatter } from '../src/content/post-schema.ts';
import * as schema from '../src/content/schema.ts';
import { forms as formsSchema, mails as mailsSchema } from '../src/content/server-words.ts';
import * as siteSchema from '../src/content/site-schema.ts';
import type { Content, LegalText, PageContent } from '../src/content/types.ts';
import { routes } from '../src/routes.ts';
import { type InternalLink, Reader } from './content-reader.ts';
import { defaultForms, defaultMails, fieldsWith } from './default-words.ts';
import type { Mistake } from './mistakes.ts';
import type { PhotosBeside } from './photos-beside.ts';
import { inOrder } from './posts.ts';

export type LoadedContent = {
  content: Content;
  links: InternalLink[];
  /** What may stay, but the owner should know. */
  warnings: Mistake[];
  photos: Pick<PhotosBeside, 'files' | 'pictures'>;
  /** The owner's own mark, as SVG. */
  mark: string | undefined;
};

/** Drafts are left out unless they are asked for. */
export async function loadContent(
  contentDir: string,
  picturesDir: string,
  { drafts = false } = {},
): Promise<LoadedContent> {
  const reader = new Reader(contentDir, picturesDir);
  const site = await reader.toml('site.toml', siteSchema.site);
  const retention = await reader.toml('retention.toml', siteSchema.retention);
  const markFile = site?.brand?.mark?.file;
  const mark = markFile === undefined ? undefined : await reader.mark(markFile);
  reader.finish();
  reader.facts = site;
  reader.retention = retention;

  const mails = await reader.toml('mails.toml', mailsSchema, defaultMails);
  const forms = await reader.toml('forms.toml', formsSchema, defaultForms);
  const pages = {} as Record<string, unknown>;
  for (const [name, pageSchema] of Object.entries(schema.pageSchemas)) {
    pages[name] = await reader.toml(`${name}.toml`, pageSchema as z.ZodType);
  }
  const { layout } = pages as Partial<PageContent>;
  reader.bar(layout?.nav);
  if (layout) reader.names = { table: layout.table, code: layout.code };
  const services = await reader.all('services', '.toml', async (file) => {
    const service = await reader.toml(file, schema.service);
    for (const name of ['id', 'anchor'] as const) {
      const id = service?.[name];
      if (id) reader.ownId('services', file, name, id);
    }
    return service;
  });
  reader.count('services', services, 1, 12);
  const posts = await reader.all('posts', '.md', async (file) => {
    if (!drafts && (await reader.isDraft(file))) return undefined;
    const slug = reader.slug(file);
    const post = await reader.markdown(file, postFrontMatter, `/blog/${slug}`);
    if (!post) return undefined;
    reader.title(file, 'title', post.short_title ?? post.title);
    return { ...post, slug, id: reader.ownId('posts', file, 'id', post.id ?? slug) };
  });
  reader.categories(posts);
  const legal: LegalText[] = [];
  for (const { path } of routes.filter(({ page }) => page === 'legal')) {
    const file = `legal${path}.md`;
    const text = await reader.markdown(file, schema.legalFrontMatter, path);
    if (text) reader.title(file, 'title', text.title);
    legal.push({ ...text, slug: path.slice(1) });
  }
  await reader.nothingElse();
  reader.finish();

  const content = {
    site,
    retention,
    mails,
    messages: forms.messages,
    fields: fieldsWith(forms.labels),
    pages,
    services: services.sort((a, b) => a.order - b.order),
    posts: inOrder(posts, (pages as Content['pages']).blog),
    legal,
  } as Content;
  const { links, warnings, photos } = reader;
  return { content, links, warnings, photos, mark };
}
