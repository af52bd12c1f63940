/** What stands between the lines of +++ at the top of a post. */
import { z } from 'zod';
import { closing, day, many, picture, url } from './pieces.ts';
import { text } from './text.ts';

export const postFrontMatter = z
  .strictObject({
    /** Its own among the posts, whatever becomes of title and file name; by default the file's name. */
    id: text.optional(),
    title: text,
    /** For the tab and search engines, where the title is too long for them. */
    short_title: text.optional(),
    excerpt: text,
    description: text.max(170),
    date: day,
    updated: day.optional(),
    /** Only `make dev` shows it. */
    draft: z.boolean().default(false),
    categories: z.array(text.max(30)).min(1),
    author: text.optional(),
    picture: picture.optional(),
    /** Where its figures and quotes can be looked up; below the text, which can link to `#sources`. */
    sources: many(z.strictObject({ label: text, url })).optional(),
    cta: closing.optional(),
  })
  .refine(({ date, updated }) => !updated || updated >= date, {
    path: ['updated'],
    error: 'must not be before the date of the post',
  });
