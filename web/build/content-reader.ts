/** Reads the files of `content/` one by one, and collects mistakes, warnings and links. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import type { z } from 'zod';
import { pictureFinder } from '../src/content/schema-parts.ts';
import { site } from '../src/content/site-schema.ts';
import type { PictureFile, Retention, SavedReply, Site } from '../src/content/types.ts';
import { longestTitle } from '../src/lib/head.ts';
import { buildMark } from './drawings.ts';
import type { InternalLink } from './links.ts';
import { photosIn, renderMarkdown } from './markdown.ts';
import { ContentError, fieldsAt, type Mistake, nearest, tomlMistake } from './mistakes.ts';
import { ContentPhotos } from './photos.ts';
import { categoryMistakes } from './posts.ts';
import { type Texts, withDefaults } from './server-facts.ts';
import { textWidth } from './text-path.ts';

/** What the files read first provide to all others, and their names. */
type SiteBasis = {
  site: Site;
  retention: Retention;
  /** Keyed by name, in the site's colours. */
  drawings: Map<string, PictureFile>;
  files: ReadonlySet<string>;
};

export class ContentReader {
  readonly links: InternalLink[] = [];
  readonly photos: ContentPhotos;
  /** The build goes on, but the owner should know. */
  readonly warnings: Mistake[] = [];
  readonly #mistakes: Mistake[] = [];
  /** The files read so far. */
  readonly files: Set<string>;
  readonly #ids = new Map<string, string>();
  readonly #contentDir: string;
  readonly #basis: SiteBasis | undefined;

  constructor(contentDir: string, basis?: SiteBasis) {
    this.#contentDir = contentDir;
    this.#basis = basis;
    this.files = new Set(basis?.files);
    this.photos = new ContentPhotos(contentDir);
  }

  throwMistakes() {
    if (this.#mistakes.length > 0) throw new ContentError(this.#mistakes);
  }

  async readFolder<T>(dir: string, ending: string, read: (file: string) => Promise<T>) {
    const folder = join(this.#contentDir, dir);
    const all = existsSync(folder) ? await readdir(folder) : [];
    const names = all.filter((name) => name.endsWith(ending));
    const items = [];
    for (const name of names.sort()) items.push(await read(`${dir}/${name}`));
    return items.filter((item) => item !== undefined) as NonNullable<T>[];
  }

  /** The pages have room for a limited number of files of a folder. */
  checkCount(dir: string, items: unknown[], least: number, most: number) {
    if (items.length < least || items.length > most)
      this.#mistake(dir, 'folder', `must hold ${least} to ${most} files`);
  }

  /** The last part of a post's address is the name of its file. */
  slug(file: string): string {
    const slug = basename(file, '.md');
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug)) {
      this.#mistake(file, 'file name', 'must be lower-case letters, digits and hyphens');
    }
    return slug;
  }

  /** Returns the id, which must be unique in its folder. */
  uniqueId(dir: string, file: string, field: string, id: string): string {
    const key = `${dir}#${id}`;
    const other = this.#ids.get(key);
    if (other && id) this.#mistake(file, field, `is already the id of ${other}`);
    this.#ids.set(key, file);
    return id;
  }

  /** The links in the header must fit on one line. */
  checkNavWidth(links: { label: string }[] = []) {
    const width = navWidth(links.map(({ label }) => label));
    if (width > navWidthLimit) {
      const over = `${Math.ceil(width - navWidthLimit)} pixels`;
      this.#mistake('layout.toml', 'nav', `is ${over} wider than the bar: shorten the labels`);
    }
  }

  /** A file that no page reads is a mistake: an owner might edit it and wonder why nothing changes. */
  async checkUnreadFiles() {
    const files = await readdir(this.#contentDir, { recursive: true, withFileTypes: true });
    for (const entry of files.filter((each) => each.isFile() && !/^\.|~$/.test(each.name))) {
      const file = relative(this.#contentDir, join(entry.parentPath, entry.name));
      if (this.files.has(file) || this.photos.used.has(file)) continue;
      if (/\.(jpe?g|png|webp|avif|hei[cf]|gif|svg)$/i.test(file)) {
        this.#warning(file, 'file', 'is not used on any page: use it or delete it');
        continue;
      }
      const meant = nearest(file, this.files);
      this.#mistake(
        file,
        'file',
        meant ? `is not read by any page: did you mean ${meant}?` : unreadMessage,
      );
    }
  }

  async readMark(name: string): Promise<string | undefined> {
    const source = await this.#read(name);
    if (source === undefined) return undefined;
    try {
      return await buildMark(name, source);
    } catch (error) {
      this.#mistake('site.toml', 'brand.mark', (error as Error).message);
      return undefined;
    }
  }

  /** `defaults` has the texts that the file leaves out; then the file itself may be missing, too. */
  async toml<S extends z.ZodType>(file: string, fileSchema: S, defaults?: Texts) {
    this.files.add(file);
    const isLeftOut = defaults && !existsSync(join(this.#contentDir, file));
    const source = isLeftOut ? '' : await this.#read(file);
    if (source === undefined) return undefined as never;
    return this.#data(file, source, fileSchema, defaults);
  }

  /** `page` is the text's address, `names` what screen readers call a table and code in it. */
  async markdown<S extends z.ZodType>(
    file: string,
    fileSchema: S,
    page: string,
    names: { table: string; code: string },
  ) {
    const source = await this.#read(file);
    if (source === undefined) return undefined as never;
    const [frontMatter, body] = splitFrontMatter(source);
    if (frontMatter === undefined || body === undefined) {
      this.#mistake(file, 'front matter', 'must be between two lines of +++ at the top');
      return undefined as never;
    }
    const data = (await this.#data(file, frontMatter, fileSchema, {}, 1)) as z.infer<S> & object;
    const { html, links, blocked } = await renderMarkdown(
      this.#fillPlaceholders(file, 'body', body),
      {
        ...names,
        photo: (name, alt) => this.#textPhoto(file, name, alt),
      },
    );
    for (const target of links) this.#proseLink(file, target, page);
    for (const tag of blocked) this.#mistake(file, 'body', `<${tag}> ${blockedTag(tag)}`);
    return { ...data, html };
  }

  /** Plain text; a first line like `# Name` is its name, otherwise its file's. */
  async reply(file: string): Promise<SavedReply> {
    const source = this.#fillPlaceholders(file, 'text', (await this.#read(file)) ?? '').trim();
    const [, name = basename(file, '.md'), body = ''] =
      /^(?:# +(.+)(?:\n|$))?([\s\S]*)$/.exec(source) ?? [];
    const text = body.trim();
    if (!text) this.#mistake(file, 'text', 'must not be empty');
    return { name, text };
  }

  /** A draft may be incomplete, so only `make dev` reads the rest of it. Its photos count as used. */
  async isDraft(file: string): Promise<boolean> {
    const [frontMatter = '', body = ''] = splitFrontMatter((await this.#read(file)) ?? '');
    const { draft, picture } = tomlOrNothing(frontMatter);
    if (draft !== true) return false;
    const headPhoto =
      picture && typeof picture === 'object' && 'file' in picture ? [picture.file] : [];
    this.photos.markUsed(file, [...headPhoto.map(String), ...photosIn(body)]);
    return true;
  }

  /** Search engines cut off longer titles. */
  checkTitle(file: string, field: string, title: unknown) {
    // The schema reports a title that isn't text.
    if (typeof title !== 'string' || title.length <= longestTitle) return;
    const remedy = file.startsWith('posts/') ? 'write a short_title beside it' : 'shorten it';
    const message = `has ${title.length} characters, and search engines show ${longestTitle}`;
    this.#warning(file, field, `${message}: ${remedy}`);
  }

  checkCategories(posts: Parameters<typeof categoryMistakes>[0]) {
    // A post with mistakes may have no categories.
    if (this.#mistakes.length > 0) return;
    for (const { file, field, message } of categoryMistakes(posts))
      this.#mistake(file, field, message);
  }

  /** The text of a file, with any editor's line ends. */
  async #read(file: string): Promise<string | undefined> {
    this.files.add(file);
    try {
      const text = await readFile(join(this.#contentDir, file), 'utf8');
      return text.replaceAll('\r\n', '\n');
    } catch {
      this.#mistake(file, 'file', 'is missing');
      return undefined;
    }
  }

  async #data<S extends z.ZodType>(
    file: string,
    source: string,
    fileSchema: S,
    defaults: Texts = {},
    linesAbove = 0,
  ): Promise<z.infer<S>> {
    let data: unknown;
    try {
      data = withDefaults(defaults, parseToml(source));
    } catch (error) {
      const { field, message } = tomlMistake(error, linesAbove);
      this.#mistake(file, field, message);
      return undefined as never;
    }
    const filled = this.#fillTexts(file, data, '');
    const result = await pictureFinder.run(
      (named, leastWidth) => this.#picture(file, named, leastWidth),
      () => fileSchema.safeParseAsync(filled),
    );
    if (result.success) return result.data;
    for (const issue of result.error.issues) {
      const unknown = issue.code === 'unrecognized_keys' ? issue.keys : [''];
      for (const key of unknown) {
        const field = [...issue.path, ...(key ? [key] : [])].reduce(fieldPath, '') || 'file';
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

  /** Fills in placeholders in all texts of a file, and collects its links. */
  #fillTexts(file: string, value: unknown, field: string): unknown {
    if (typeof value === 'string') {
      const filled = this.#fillPlaceholders(file, field, value);
      if (/(^|\.)path$/.test(field)) this.links.push({ file, field, target: filled });
      if (/(^|\.)head\.title$/.test(field)) this.checkTitle(file, field, filled);
      return filled;
    }
    if (Array.isArray(value))
      return value.map((v, i) => this.#fillTexts(file, v, fieldPath(field, i)));
    if (value === null || typeof value !== 'object' || value instanceof Date) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, v]) => [
        key,
        this.#fillTexts(file, v, fieldPath(field, key)),
      ]),
    );
  }

  #fillPlaceholders(file: string, field: string, text: string): string {
    const filled = text.replace(/\{site\.([a-z_]+)\}/g, (token, key: string) => {
      const value = this.#basis?.site[key as keyof Site];
      if (typeof value === 'string') return value;
      const isLeftOut = key in site.shape && value === undefined;
      const remedy = isLeftOut
        ? 'is not set in site.toml: set it there, or leave it out here'
        : 'is not a field of site.toml';
      this.#mistake(file, field, `${token} ${remedy}`);
      return token;
    });
    return filled.replace(/\{keep\.([a-z_]+)\}/g, (token, key: string) => {
      const days = this.#basis?.retention[key as keyof Retention];
      if (days !== undefined) return inYearsOrDays(days);
      this.#mistake(file, field, `${token} is not a field of retention.toml`);
      return token;
    });
  }

  async #picture(file: string, named: { name: string } | { file: string }, leastWidth: number) {
    if ('file' in named) return this.photos.find(file, named.file, leastWidth);
    const drawing = this.#basis?.drawings.get(named.name);
    return drawing ?? `there is no picture web/pictures/${named.name}.svg`;
  }

  /** A photo in a text, with its description. */
  async #textPhoto(file: string, name: string, alt: string): Promise<PictureFile | undefined> {
    const report = (message: string) => this.#mistake(file, 'body', message);
    if (file.startsWith('legal/')) report('a legal text cannot show pictures');
    if (!alt.trim()) {
      const remedy = `write ![what it shows](${name}) for people who cannot see it`;
      report(`the picture ${name} has no description: ${remedy}`);
    }
    const found = await this.photos.find(file, name);
    if (typeof found === 'object') return found;
    report(found);
    return undefined;
  }

  #mistake(file: string, field: string, message: string) {
    this.#mistakes.push({ file: `content/${file}`, field, message });
  }

  #warning(file: string, field: string, message: string) {
    this.warnings.push({ file: `content/${file}`, field, message });
  }
}

/** The front matter and the body of a Markdown file, if it has them. */
const splitFrontMatter = (source: string) =>
  /^\+\+\+\n([\s\S]*?)\n\+\+\+\n([\s\S]*)$/.exec(source)?.slice(1) ?? [];

function tomlOrNothing(source: string): Record<string, unknown> {
  try {
    return parseToml(source);
  } catch {
    return {};
  }
}

const blockedTag = (tag: string) =>
  /^(img|picture)$/.test(tag)
    ? 'cannot show a picture here: write ![what it shows](photo.jpg)'
    : 'shows nothing here, as the site’s policy blocks it: link to it instead';

const unreadMessage =
  'is not read by any page: add a schema (web/src/content/schema.ts) or, in legal/, a route (web/src/routes.ts)';

function unknownField(key: string, known: string[]): string {
  const meant = nearest(key, known);
  const tip = meant ? `did you mean ${meant}?` : `the fields here are ${known.join(', ')}`;
  return `is not a known field: ${tip}`;
}

/** The schema's own messages are sentences. The library's, as far as owners meet them, are replaced here. */
function issueMessage(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type' && /received undefined$/.test(issue.message))
    return missing(String(issue.path.at(-1)), issue.expected);
  if (issue.code !== 'invalid_value') return issue.message;
  return `must be one of ${issue.values.join(', ')}`;
}

function missing(name: string, kind: string): string {
  if (kind === 'object') return 'This section is missing; copy it from docs/content.md';
  if (kind === 'array') return 'This list is missing; copy it from docs/content.md';
  return `This line is missing; add ${name} = ${kind === 'string' ? '"…"' : '…'}`;
}

/** In years if it is whole years, otherwise in days. */
function inYearsOrDays(days: number): string {
  const [number, unit] = days % 365 === 0 ? [days / 365, 'year'] : [days, 'day'];
  return `${number} ${unit}${number === 1 ? '' : 's'}`;
}

/** Entries of a list are counted from 1, as people do. */
function fieldPath(field: string, key: PropertyKey): string {
  const name = typeof key === 'number' ? String(key + 1) : String(key);
  return field ? `${field}.${name}` : name;
}

/** The pixels between logo and booking button in the narrowest header (960 pixels): wider links would squeeze the logo. */
const navWidthLimit = 464;

function navWidth(labels: string[]): number {
  const style = { family: 'geist', weight: 400, size: 15, spacing: 0 } as const;
  const padding = labels.length > 6 ? 8 : 14;
  const widths = labels.map((label) => textWidth(label, style) + 2 * padding);
  return widths.reduce((sum, width) => sum + width, 2 * (labels.length - 1));
}
