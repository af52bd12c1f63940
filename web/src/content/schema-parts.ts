/** The schemas of single fields in `content/`: texts, links, pictures, days, and lists of them. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { z } from 'zod';
import { contentIcons } from './content-icons.ts';

export const text = z.string().trim().min(1, 'must not be empty');

export const url = z.url({ protocol: /^https?$/, error: 'must be an http(s) address' });

/** The content names an icon; the pages get its path data. */
export const icon = z
  .enum(Object.keys(contentIcons) as [keyof typeof contentIcons])
  .transform((name): string => contentIcons[name]);

/** A path of this site, checked against the real routes and section ids. */
export const path = z
  .string()
  .regex(/^\/[^\s]*$/, 'must be a path of this site, such as /services#websites');

export const alt = z
  .string({ error: 'is missing: say what the picture shows, for people who cannot see it' })
  .trim()
  .min(1, 'must say what the picture shows');

export type PictureFile = {
  /** The file that every browser can show. */
  src: string;
  width: number;
  height: number;
  /** Of a photo: lighter formats, each in several widths, the lightest first. */
  sources?: { type: string; srcset: string }[];
};
type PictureReference = { name: string } | { file: string };

/** Finds a picture that a file of `content/` names, or returns what is wrong. Set while the file is read. */
export const pictureFinder = new AsyncLocalStorage<
  (named: PictureReference, leastWidth: number) => Promise<PictureFile | string>
>();

/**
 * A drawing of `web/pictures/`, by name, or a photo in a file beside this one, wide enough to be sharp in its place. The
 * pages get its address and size.
 */
export const pictureOf = (leastWidth: number) =>
  z
    .strictObject({ name: text.optional(), file: text.optional(), alt })
    .refine(
      ({ name, file }) => (name === undefined) !== (file === undefined),
      'must have either name (a drawing of web/pictures) or file (a photo beside this file)',
    )
    .transform(async ({ name, file = '', alt }, context) => {
      const named = name === undefined ? { file } : { name };
      const found = await pictureFinder.getStore()?.(named, leastWidth);
      if (typeof found === 'object') return { ...found, alt };
      context.addIssue({ code: 'custom', path: Object.keys(named), message: found ?? '' });
      return z.NEVER;
    });

/** As wide as a column of the page. */
export const picture = pictureOf(640);

export const slug = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case letters, digits and hyphens');

export const link = z.strictObject({ label: text, path });
export const heading = { kicker: text, title: text, lead: text };
export const point = z.strictObject({ icon, title: text, text });
export const step = z.strictObject({ label: text, title: text, text });

/** The pages have room for one to twelve of a thing. */
export const many = <T extends z.ZodType>(item: T, most = 12) =>
  z
    .array(item)
    .min(1, `must have 1 to ${most} entries`)
    .max(most, `must have 1 to ${most} entries`);

export const listOf = <T extends z.ZodType>(item: T) =>
  z.strictObject({ ...heading, items: many(item) });

/** The title and description of a page in search engines and link previews. */
export const head = z.strictObject({
  title: text,
  description: text.max(170),
});

/** A text with a placeholder that a page fills in. */
export const withPlaceholder = (placeholder: string) =>
  text.refine((words) => words.includes(placeholder), `must contain ${placeholder}`);

/** A calendar day, as a TOML date or as text in quotes. */
export const day = z.preprocess(
  (value) => (value instanceof Date ? value.toISOString().slice(0, 10) : value),
  z.iso.date('must be a date such as 2026-10-01'),
);

export const closing = z.strictObject({ title: text, text, booking: text });
