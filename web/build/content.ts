/**
 * Reads `content/`, checks it and hands it on as plain data.
 *
 * Order: parse, put the site's facts into the texts, check against the schema,
 * check that every picture exists. All mistakes are reported together, each
 * with its file and field; only those of the site's facts come first, since
 * every other file leans on them. Internal links are only gathered here: they
 * are checked once the pages, and so their section ids, exist (see `links.ts`).
 */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import type { z } from 'zod';
import * as schema from '../src/content/schema.ts';
import { forms as formsSchema, mails as mailsSchema } from '../src/content/server-words.ts';
import type {
  Content,
  LegalText,
  PageContent,
  Post,
  Retention,
  Site,
} from '../src/content/types.ts';
import { routes } from '../src/routes.ts';
import { roomInBar, widthInBar } from './bar.ts';
import {
  defaultForms,
  defaultMails,
  fieldsWith,
  type Words,
  withDefaults,
} from './default-words.ts';
import { renderMarkdown } from './markdown.ts';
import { fieldsAt, nearest } from './near-miss.ts';

export type Mistake = { file: string; field: string; message: string };
export type InternalLink = { file: string; field: string; target: string };

export class ContentError extends Error {
  readonly mistakes: Mistake[];

  constructor(mistakes: Mistake[]) {
    super(mistakes.map((m) => `${m.file}: ${m.field}: ${m.message}`).join('\n'));
    this.name = 'ContentError';
    this.mistakes = mistakes;
  }
}

export type LoadedContent = { content: Content; links: InternalLink[] };

export async function loadContent(contentDir: string, picturesDir: string): Promise<LoadedContent> {
  const reader = new Reader(contentDir, picturesDir);
  const site = await reader.toml('site.toml', schema.site);
  const retention = await reader.toml('retention.toml', schema.retention);
  reader.finish();
  reader.facts = site;
  reader.retention = retention;

  const mails = await reader.toml('mails.toml', mailsSchema, defaultMails);
  const forms = await reader.toml('forms.toml', formsSchema, defaultForms);
  const pages = {} as Record<string, unknown>;
  for (const [name, pageSchema] of Object.entries(schema.pageSchemas)) {
    pages[name] = await reader.toml(`${name}.toml`, pageSchema as z.ZodType);
  }
  reader.bar((pages as Partial<PageContent>).layout?.nav);
  reader.table = String((pages as Partial<PageContent>).layout?.table);
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
    const slug = reader.slug(file);
    const post = await reader.markdown(file, schema.postFrontMatter, `/blog/${slug}`);
    return post && { ...post, slug, id: reader.ownId('posts', file, 'id', post.id ?? slug) };
  });
  const legal: LegalText[] = [];
  for (const { path } of routes.filter(({ page }) => page === 'legal')) {
    const text = await reader.markdown(`legal${path}.md`, schema.legalFrontMatter, path);
    legal.push({ ...text, slug: path.slice(1) });
  }
  await reader.nothingElse();
  reader.finish();

  const blog = (pages as Content['pages']).blog;
  const content = {
    site,
    retention,
    mails,
    messages: forms.messages,
    fields: fieldsWith(forms.labels),
    pages,
    services: services.sort((a, b) => a.order - b.order),
    posts: posts
      .map(
        (post): Post => ({
          ...post,
          author: post.author ?? blog.post.author,
          picture: post.picture ?? blog.post.default_picture,
          cta: post.cta ?? blog.post.cta,
        }),
      )
      .sort((a, b) => b.date.localeCompare(a.date) || a.slug.localeCompare(b.slug)),
    legal,
  } as Content;
  return { content, links: reader.links };
}

class Reader {
  readonly links: InternalLink[] = [];
  facts: Site | undefined;
  retention: Retention | undefined;
  /** What a table in a text is called. */
  table = '';
  readonly #mistakes: Mistake[] = [];
  readonly #known = new Set<string>();
  readonly #ids = new Map<string, string>();
  readonly #contentDir: string;
  readonly #picturesDir: string;

  constructor(contentDir: string, picturesDir: string) {
    this.#contentDir = contentDir;
    this.#picturesDir = picturesDir;
  }

  /** Throws when anything read so far was wrong. */
  finish() {
    if (this.#mistakes.length > 0) throw new ContentError(this.#mistakes);
  }

  async all<T>(dir: string, ending: string, read: (file: string) => Promise<T>) {
    const names = (await readdir(join(this.#contentDir, dir))).filter((n) => n.endsWith(ending));
    const items = [];
    for (const name of names.sort()) items.push(await read(`${dir}/${name}`));
    return items.filter((item) => item !== undefined) as NonNullable<T>[];
  }

  /** How many files of a folder the pages have room for. */
  count(dir: string, items: unknown[], least: number, most: number) {
    if (items.length < least || items.length > most)
      this.#mistake(dir, 'folder', `must hold ${least} to ${most} files`);
  }

  /** The last part of a post's address is the name of its file. */
  slug(file: string): string {
    const slug = basename(file, '.md');
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug)) {
      this.#mistake(file, 'file name', 'must be small letters, digits and hyphens');
    }
    return slug;
  }

  /** An id that nothing else of its folder has. */
  ownId(dir: string, file: string, field: string, id: string): string {
    const key = `${dir}#${id}`;
    const other = this.#ids.get(key);
    if (other && id) this.#mistake(file, field, `is the id of ${other} already`);
    this.#ids.set(key, file);
    return id;
  }

  /** The bar is one line, however many pages there are. */
  bar(links: { label: string }[] = []) {
    const width = widthInBar(links.map(({ label }) => label));
    if (width > roomInBar) {
      const over = `${Math.ceil(width - roomInBar)} pixels`;
      this.#mistake('layout.toml', 'nav', `is wider than the bar by ${over}: shorten the labels`);
    }
  }

  /** What nobody reads would be changed in vain. */
  async nothingElse() {
    const files = await readdir(this.#contentDir, { recursive: true, withFileTypes: true });
    for (const entry of files.filter((each) => each.isFile() && !/^\.|~$/.test(each.name))) {
      const file = relative(this.#contentDir, join(entry.parentPath, entry.name));
      const meant = nearest(file, this.#known);
      const message = meant ? `is read by no page: did you mean ${meant}?` : unread;
      if (!this.#known.has(file)) this.#mistake(file, 'file', message);
    }
  }

  /** With `defaults` whatever is left out is said as there, the whole file included. */
  async toml<S extends z.ZodType>(file: string, fileSchema: S, defaults?: Words) {
    this.#known.add(file);
    const isLeftOut = defaults && !existsSync(join(this.#contentDir, file));
    const source = isLeftOut ? '' : await this.#read(file);
    if (source === undefined) return undefined as never;
    return this.#data(file, source, fileSchema, defaults);
  }

  /** `page` is the address the text will stand at. */
  async markdown<S extends z.ZodType>(file: string, fileSchema: S, page: string) {
    const source = await this.#read(file);
    if (source === undefined) return undefined as never;
    const [, frontMatter, body] = /^\+\+\+\n([\s\S]*?)\n\+\+\+\n([\s\S]*)$/.exec(source) ?? [];
    if (frontMatter === undefined || body === undefined) {
      this.#mistake(file, 'front matter', 'must stand between two lines of +++ at the top');
      return undefined as never;
    }
    const data = this.#data(file, frontMatter, fileSchema) as z.infer<S> & object;
    const { html, links } = renderMarkdown(this.#fill(file, 'body', body), this.table);
    for (const target of links) this.#proseLink(file, target, page);
    return { ...data, html };
  }

  /** The text of a file, whichever line ends its editor writes. */
  async #read(file: string): Promise<string | undefined> {
    this.#known.add(file);
    try {
      const text = await readFile(join(this.#contentDir, file), 'utf8');
      return text.replaceAll('\r\n', '\n');
    } catch {
      this.#mistake(file, 'file', 'is missing');
      return undefined;
    }
  }

  #data<S extends z.ZodType>(
    file: string,
    source: string,
    fileSchema: S,
    defaults: Words = {},
  ): z.infer<S> {
    let data: unknown;
    try {
      data = withDefaults(defaults, parseToml(source));
    } catch (error) {
      this.#mistake(file, 'syntax', String(error instanceof Error ? error.message : error));
      return undefined as never;
    }
    const filled = this.#walk(file, data, '');
    const result = fileSchema.safeParse(filled);
    if (result.success) return result.data;
    for (const issue of result.error.issues) {
      const unknown = issue.code === 'unrecognized_keys' ? issue.keys : [''];
      for (const key of unknown) {
        const field = [...issue.path, ...(key ? [key] : [])].join('.') || 'file';
        const known = key ? fieldsAt(fileSchema, issue.path) : [];
        this.#mistake(file, field, key ? unknownField(key, known) : issueMessage(issue));
      }
    }
    return filled as z.infer<S>;
  }

  #proseLink(file: string, target: string, page: string) {
    if (/^[a-z]+:/i.test(target)) return;
    if (target.startsWith('/')) this.links.push({ file, field: 'body', target });
    else if (target.startsWith('#'))
      this.links.push({ file, field: 'body', target: page + target });
    else this.#mistake(file, 'body', `the link ${target} must begin with /, # or https://`);
  }

  /** Fills in the site's facts, and notes links and pictures on the way. */
  #walk(file: string, value: unknown, field: string): unknown {
    if (typeof value === 'string') {
      const filled = this.#fill(file, field, value);
      if (/(^|\.)path$/.test(field)) this.links.push({ file, field, target: filled });
      return filled;
    }
    if (Array.isArray(value)) return value.map((v, i) => this.#walk(file, v, join_(field, i)));
    if (value === null || typeof value !== 'object' || value instanceof Date) return value;
    if ('alt' in value && 'name' in value) this.#picture(file, `${field}.name`, String(value.name));
    return Object.fromEntries(
      Object.entries(value).map(([key, v]) => [key, this.#walk(file, v, join_(field, key))]),
    );
  }

  #fill(file: string, field: string, value: string): string {
    const filled = value.replace(/\{site\.([a-z_]+)\}/g, (token, key: string) => {
      const fact = this.facts?.[key as keyof Site];
      if (typeof fact === 'string') return fact;
      this.#mistake(file, field, `${token} is not a fact of site.toml`);
      return token;
    });
    return filled.replace(/\{keep\.([a-z_]+)\}/g, (token, key: string) => {
      const days = this.retention?.[key as keyof Retention];
      if (days !== undefined) return period(days);
      this.#mistake(file, field, `${token} is not a period of retention.toml`);
      return token;
    });
  }

  #picture(file: string, field: string, name: string) {
    const path = join(this.#picturesDir, `${name}.svg`);
    if (!existsSync(path)) {
      this.#mistake(file, field, `there is no picture ${relative(this.#contentDir, path)}`);
    }
  }

  #mistake(file: string, field: string, message: string) {
    this.#mistakes.push({ file: `content/${file}`, field, message });
  }
}

const unread =
  'is read by no page: it wants a schema (web/src/content/schema.ts) or, in legal/, a route (web/src/routes.ts)';

function unknownField(key: string, known: string[]): string {
  const meant = nearest(key, known);
  const tip = meant ? `did you mean ${meant}?` : `those here are ${known.join(', ')}`;
  return `is not a known field: ${tip}`;
}

/** Ours are sentences already; of the library's we put those an owner meets most into words. */
function issueMessage(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type' && /received undefined$/.test(issue.message))
    return `is missing: it is ${issue.expected === 'array' ? 'a list' : `a ${issue.expected}`}`;
  if (issue.code !== 'invalid_value') return issue.message;
  return `must be one of ${issue.values.join(', ')}`;
}

/** Whole years are told as such. */
function period(days: number): string {
  const [number, unit] = days % 365 === 0 ? [days / 365, 'year'] : [days, 'day'];
  return `${number} ${unit}${number === 1 ? '' : 's'}`;
}
const join_ = (field: string, key: string | number) => (field ? `${field}.${key}` : String(key));
