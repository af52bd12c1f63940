/** What `content/pricing.toml` may say: the packages, and what is in which. */
import { z } from 'zod';
import { closing, head, heading, icon, listOf, many, point, slug } from './pieces.ts';
import { text } from './text.ts';

export const pricing = z
  .strictObject({
    head,
    hero: z.strictObject(heading),
    quote: text,
    booking: text,
    includes: text,
    packages: many(
      z.strictObject({
        id: slug,
        name: text,
        subtitle: text,
        description: text,
        /** In place of the line about a quote. */
        price: text.optional(),
        icon,
        /** A package may stand out; the label says why. */
        badge: text.optional(),
        features: many(text),
      }),
    ).refine(
      (all) => new Set(all.map(({ id }) => id)).size === all.length,
      'must have ids of their own',
    ),
    /** What is in which package, row by row; a package that a row leaves out has nothing of it. */
    comparison: z
      .strictObject({
        ...heading,
        /** The head of the first column, and what a check mark and a dash say to whoever does not see them. */
        feature: text,
        included: text,
        not_included: text,
        rows: many(
          z.strictObject({ label: text, packages: z.record(slug, z.union([z.boolean(), text])) }),
          30,
        ),
      })
      .optional(),
    retainers: z.strictObject({ title: text, text }).optional(),
    choosing: closing.optional(),
    why: listOf(point).optional(),
  })
  .superRefine(({ packages, comparison }, context) => {
    const ids = packages.map(({ id }) => id);
    for (const [at, row] of (comparison?.rows ?? []).entries()) {
      for (const id of Object.keys(row.packages).filter((key) => !ids.includes(key))) {
        const path = ['comparison', 'rows', at, 'packages', id];
        const message = `is the id of no package: those are ${ids.join(', ')}`;
        context.addIssue({ code: 'custom', path, message });
      }
    }
  });
