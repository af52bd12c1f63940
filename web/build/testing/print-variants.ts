/**
 * Prints variants of the pages, without scripts: one, five or twelve of everything, with or without the optional sections,
 * or only what is required.
 * `node print-variants.ts FOLDER '{"five":{"count":5,"filled":false}}'` writes `FOLDER/five.json`, HTML by path.
 */
import { appendFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { networks } from '../../src/content/networks.ts';
import { pageSchemas, service as serviceSchema } from '../../src/content/schema.ts';
import { site as siteSchema } from '../../src/content/site-schema.ts';
import type { Content } from '../../src/content/types.ts';
import { buildServer, buildStyles } from '../bundles.ts';
import { loadContent } from '../content.ts';
import { buildFontFiles } from '../fonts.ts';
import { paths } from '../paths.ts';
import { classesOf, prune } from '../styles.ts';
import { printDocument } from '../template.ts';
import { frozen } from './frozen.ts';

type Variant = { count: number; filled: boolean } | 'bare';

const pages = ['home', 'services', 'about', 'contact', 'pricing', 'checkout-success'];

/** With the optional sections that `docs/content.md` shows. */
async function filledContent(): Promise<Content> {
  const folder = await mkdtemp(join(tmpdir(), 'filled-'));
  await cp(frozen.content, folder, { recursive: true });
  const guide = await readFile(join(paths.web, '../docs/content.md'), 'utf8');
  const [, toAdd = ''] = /^## Sections to add$(.*?)^## /ms.exec(guide) ?? [];
  for (const [, file = '', text = ''] of toAdd.matchAll(/```toml (.+)\n([\s\S]*?)```/g))
    await appendFile(join(folder, file), `\n${text}`);
  const { content } = await loadContent(folder, paths.pictures);
  await rm(folder, { recursive: true });
  return content;
}

function withCount(source: Content, count: number, filled: boolean): Content {
  const content = structuredClone(source);
  const { home, services, about, pricing, blog } = content.pages;
  for (const [name, page] of Object.entries(content.pages))
    if (pages.includes(name)) multiply(page, count);
  content.services = repeated(content.services, count).map((entry, at) => ({
    ...entry,
    order: at,
  }));
  content.site.social = filled ? profiles(count) : {};
  // Some have a picture, some logos are wide, and some packages have a price.
  const picture = blog.post.default_picture;
  for (const [at, logo] of home.logos?.items.entries() ?? [])
    logo.picture = { ...(at % 2 ? logo.picture : picture), alt: `Business ${at + 1}` };
  for (const [at, person] of about.team?.items.entries() ?? [])
    if (at % 3 === 2) person.picture = picture;
  for (const [at, work] of services.cases?.items.entries() ?? [])
    if (at % 2 === 0) work.picture = picture;
  for (const [at, entry] of pricing.packages.entries())
    if (at % 3 === 2) entry.price = 'From $1,200';
  return content;
}

/** All lists of things, at any depth. */
function multiply(part: object, count: number) {
  for (const [key, value] of Object.entries(part)) {
    if (Array.isArray(value) && typeof value[0] === 'object')
      Reflect.set(part, key, repeated(value, count));
    else if (typeof value === 'object' && !Array.isArray(value)) multiply(value, count);
  }
}

/** So many items, with numbers to tell them apart. */
function repeated<T extends object>(items: T[], count: number): T[] {
  return Array.from({ length: count }, (_, at) => {
    const item = items[at % items.length] as T;
    if (at < items.length) return item;
    const numbered = Object.entries(item).map(([key, value]) => {
      const isName = ['title', 'name', 'question', 'client'].includes(key);
      if (key === 'id' || key === 'anchor') return [key, `${value}-${at + 1}`];
      return [key, isName ? `${value} ${at + 1}` : value];
    });
    return Object.fromEntries(numbered) as T;
  });
}

function bare(content: Content): Content {
  const pages = Object.entries(pageSchemas).map(([name, schema]) => [
    name,
    required(schema, content.pages[name as keyof typeof pageSchemas]),
  ]);
  return {
    ...content,
    pages: Object.fromEntries(pages),
    services: content.services.map((service) => required(serviceSchema, service)),
    site: required(siteSchema, content.site),
  };
}

function required<T>(schema: z.ZodType, value: T): T {
  if (!(schema instanceof z.ZodObject)) return value;
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>);
  return Object.fromEntries(
    fields.map(([key, field]) => {
      const leftOut = field.safeParse(undefined);
      return [key, leftOut.success ? leftOut.data : required(field, value[key as keyof T])];
    }),
  ) as T;
}

const profiles = (count: number) =>
  Object.fromEntries(
    Object.keys(networks)
      .slice(0, count)
      .map((name) => [name, `https://${name}.example/sample`]),
  );

const [, , folder = '', wanted = '{}'] = process.argv;
const { content } = await loadContent(frozen.content, paths.pictures);
const filled = await filledContent();
const fonts = await buildFontFiles();
const stylesOf = await buildStyles(pages);
const { pageFiles, render } = await buildServer();

for (const [name, variant] of Object.entries(JSON.parse(wanted) as Record<string, Variant>)) {
  const shown =
    variant === 'bare'
      ? bare(content)
      : withCount(variant.filled ? filled : content, variant.count, variant.filled);
  const files = pageFiles(shown).filter(({ page }) => pages.includes(page));
  const rendered = files.map((file) => ({ file, ...render(shown, file) }));
  const isShown = classesOf(
    rendered.map(({ html }) => html),
    [],
  );
  const documents = rendered.map(({ file, head, html }) => [
    file.path,
    printDocument({
      head,
      body: html,
      css: prune(stylesOf(file.page), isShown),
      fonts,
      pagesVersion: name,
      site: content.site,
    }),
  ]);
  await writeFile(join(folder, `${name}.json`), JSON.stringify(Object.fromEntries(documents)));
}
