/** `docs/content.md` is complete, and all its examples are valid. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { contentIcons } from '../src/content/content-icons.ts';
import { networks } from '../src/content/networks.ts';
import { pageSchemas, postFrontMatter } from '../src/content/schema.ts';
import { pictureFinder } from '../src/content/schema-parts.ts';
import { site } from '../src/content/site-schema.ts';
import { paths } from './paths.ts';
import { copyForEachTest } from './testing/content-copy.ts';

const copy = copyForEachTest();
const guide = readFileSync(join(paths.web, '../docs/content.md'), 'utf8');
/** A block can be for several files. */
const blocks = [...guide.matchAll(/```toml (.+)\n([\s\S]*?)```/g)].flatMap(
  ([, files = '', text = '']) => files.split(' ').map((file) => ({ file, text })),
);
const part = (title: string) => guide.split(/^## /m).find((text) => text.startsWith(title)) ?? '';
const named = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
const fieldsOf = (schema: z.ZodType) =>
  Object.entries((schema as z.ZodObject).shape as Record<string, z.ZodType>);

const anyPicture = async () => ({ src: '/a.svg', width: 640, height: 480 });

/** A table or a list of tables, whether it may be left out or not. */
function isSection(field: z.ZodType): boolean {
  if (field instanceof z.ZodOptional) return isSection(field.unwrap() as z.ZodType);
  if (field instanceof z.ZodArray) return isSection(field.element as z.ZodType);
  return field instanceof z.ZodObject;
}

it.each(Object.entries(pageSchemas))(
  'every section of %s.toml can be copied',
  async (name, schema) => {
    const own = blocks.filter(({ file }) => file === `${name}.toml`).map(({ text }) => parse(text));
    for (const [key, field] of fieldsOf(schema).filter(([, each]) => isSection(each))) {
      const written = own.map((block) => block[key]).filter((section) => section !== undefined);
      expect(written, key).toHaveLength(1);
      const { error } = await pictureFinder.run(anyPicture, () => field.safeParseAsync(written[0]));
      expect(error?.issues, key).toBeUndefined();
    }
  },
);

it('sections that the content lacks can be added at the end of its files', async () => {
  for (const { file, text } of blocks.filter(({ file }) => !file.startsWith('posts/'))) {
    const before = await copy.read(file);
    const isThere = Object.keys(parse(text)).some((section) => section in parse(before));
    if (!isThere) await copy.write(file, `${before}\n${text}`);
  }
  const { pages } = (await copy.load()).content;
  expect(Object.keys(pages.home)).toEqual(expect.arrayContaining(['logos', 'testimonials']));
});

it('its table lists all that a file may leave out, and nothing else', () => {
  const rows = part('What can be left out').matchAll(/^\| `(.+?)\.toml` \| (.*) \|$/gm);
  const listed = new Map([...rows].map(([, file = '', fields = '']) => [file, named(fields)]));
  const toAdd = part('Sections to add');
  for (const [file, schema] of Object.entries({ site, ...pageSchemas })) {
    const inTable = listed.get(file) ?? [];
    for (const [key, field] of fieldsOf(schema)) {
      // A field with a default text isn't listed.
      const mayBeAbsent = field.safeParse(undefined).success && !(field instanceof z.ZodDefault);
      const isTold = inTable.includes(key) || toAdd.includes(`[${key}]`);
      expect(isTold, `${file}: ${key}`).toBe(mayBeAbsent);
    }
  }
});

it('its table of a post has every field, and its example is a post', async () => {
  const rows = part('Posts').matchAll(/^\| `(\w+)` \|/gm);
  const fields = [...rows].map(([, field]) => field);
  expect(fields.toSorted()).toEqual(
    fieldsOf(postFrontMatter)
      .map(([key]) => key)
      .toSorted(),
  );
  const [post] = blocks.filter(({ file }) => file.startsWith('posts/'));
  await copy.write(post?.file ?? '', post?.text ?? '');
  const { posts } = (await copy.load()).content;
  expect(posts.map(({ slug }) => `posts/${slug}.md`)).toContain(post?.file);
});

it('it names every icon', () => {
  const [, names = ''] = part('Icons').split('These are the names:');
  expect(named(names)).toEqual(Object.keys(contentIcons).toSorted());
});

it('it names every network', () => {
  for (const name of Object.keys(networks)) expect(guide).toContain(`\`${name}\``);
});
