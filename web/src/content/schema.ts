/**
 * What the owner may write in `content/`, file by file. The build checks every file against these schemas and reports
 * mistakes with file and field. The app imports only the types.
 */
import { z } from 'zod';
import {
  closing,
  day,
  head,
  heading,
  icon,
  link,
  listOf,
  many,
  picture,
  pictureOf,
  point,
  slug,
  step,
  text,
  url,
  withPlaceholder,
} from './schema-parts.ts';
import { chat, layout } from './site-schema.ts';

export const service = z.strictObject({
  id: slug,
  /** The section's short id and its name, for the footer's link; by default its id and its title. */
  anchor: slug.optional(),
  footer_label: text.optional(),
  order: z.int(),
  title: text,
  subtitle: text,
  short_description: text,
  description: text,
  icon,
  features: many(text),
  benefits: many(text),
  picture: picture.optional(),
  card_picture: picture.optional(),
});

const outcome = { head, title: text, text };

/** The front matter of a post, between the lines of +++ at its top. */
export const postFrontMatter = z
  .strictObject({
    /** Unique among the posts, and stays if title and file name change; by default the file's name. */
    id: text.optional(),
    title: text,
    /** For the tab and search engines, if the title is too long for them. */
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
    /** Where its figures and quotes are from; listed below the text, which can link to `#sources`. */
    sources: many(z.strictObject({ label: text, url })).optional(),
    cta: closing.optional(),
  })
  .refine(({ date, updated }) => !updated || updated >= date, {
    path: ['updated'],
    error: 'must not be before the date of the post',
  });

export const legalFrontMatter = z.strictObject({
  title: text,
  description: text.max(170),
  updated: day,
});

/** The files of `content/` with the texts of one page each. */
export const pageSchemas = {
  layout,
  home: z.strictObject({
    head,
    hero: z
      .strictObject({
        headline: text,
        /** The end of the headline, set in colour. */
        accent: text,
        subtitle: text,
        booking: text,
        secondary: link.optional(),
        facts: many(text, 4).optional(),
      })
      .refine((hero) => hero.headline.endsWith(hero.accent), {
        path: ['accent'],
        error: 'must be the last words of the headline',
      }),
    services: z.strictObject(heading),
    logos: z
      .strictObject({
        title: text,
        items: many(z.strictObject({ picture: pictureOf(320), url: url.optional() })),
      })
      .optional(),
    steps: listOf(step).optional(),
    expectations: listOf(point).optional(),
    showcase: z
      .strictObject({
        ...heading,
        label: text,
        picture,
        points: many(z.strictObject({ title: text, text })),
      })
      .optional(),
    testimonials: listOf(
      z.strictObject({
        quote: text,
        name: text,
        role: text.optional(),
        /** Where it was said, such as a review page or a letter: a quote without a source proves nothing. */
        source: z.strictObject({ label: text, url: url.optional() }),
      }),
    ).optional(),
    contact: z.strictObject(heading),
  }),
  services: z.strictObject({
    head,
    hero: z.strictObject(heading),
    features_title: text,
    benefits_title: text,
    get_started: text,
    learn_more: text,
    cases: listOf(
      z.strictObject({
        client: text,
        title: text,
        text,
        results: many(text, 6).optional(),
        picture: picture.optional(),
        link: z.strictObject({ label: text, url }).optional(),
      }),
    ).optional(),
    closing: closing.optional(),
  }),
  about: z.strictObject({
    head,
    hero: z.strictObject(heading),
    mission: z
      .strictObject({
        kicker: text,
        title: text,
        paragraphs: many(text),
        picture: picture.optional(),
      })
      .optional(),
    values: listOf(point).optional(),
    why: listOf(point).optional(),
    team: listOf(
      z.strictObject({
        name: text,
        role: text,
        text: text.optional(),
        /** Without one, the person's initials. */
        picture: pictureOf(320).optional(),
      }),
    ).optional(),
    closing: closing.optional(),
  }),
  contact: z.strictObject({
    head,
    hero: z.strictObject(heading),
    form_title: text,
    info: z.strictObject({
      title: text,
      email_label: text,
      phone_label: text.default('Phone'),
      availability_label: text.default('Availability'),
      availability: text.optional(),
      response: text.optional(),
      social_label: text.default('Follow us'),
      location_label: text.default('Location'),
      /** Without one, the location is among the other facts. */
      map: picture.optional(),
    }),
    timeline: listOf(step).optional(),
    faq: listOf(z.strictObject({ question: text, answer: text })).optional(),
    closing: closing.optional(),
  }),
  'contact-form': z.strictObject({
    optional: text,
    message_hint: text,
    honeypot: text,
    submit: text,
    sending: text,
    privacy: text,
    privacy_link: text,
  }),
  'contact-outcome': z.strictObject({
    sent: z.strictObject({ head, kicker: text, title: text, text, booking: text, back: link }),
    failed: z.strictObject({ head, title: text, text }),
  }),
  blog: z.strictObject({
    head,
    hero: z.strictObject(heading),
    read_more: text,
    feed: text,
    modal: z.strictObject({
      close: text,
      open_page: text,
      loading: text.default('Opening the post…'),
    }),
    post: z.strictObject({
      back: text,
      previous: text,
      next: text,
      author: text,
      draft: text,
      updated: text,
      sources: text.default('Sources'),
      reading_time: withPlaceholder('{minutes}'),
      default_picture: picture,
      cta: closing,
    }),
    category: z.strictObject({
      title: withPlaceholder('{category}'),
      lead: text,
      all: text,
      description: withPlaceholder('{category}').max(150),
    }),
    not_found: z.strictObject({ head, text, back: text }),
    newsletter: z.strictObject({
      kicker: text,
      title: text,
      text,
      email: text,
      honeypot: text,
      subscribe: text,
      sending: text,
      consent: text,
      /** To be raised whenever the consent wording changes: it's stored as proof. */
      consent_version: z.int().positive(),
    }),
  }),
  newsletter: z.strictObject({
    kicker: text,
    ways: many(link, 4),
    /** Its title is the message of `contract/messages.json`. */
    accepted: z.strictObject({ head, text }),
    refused: z.strictObject(outcome),
    confirm: z.strictObject({ ...outcome, button: text }),
    confirmed: z.strictObject(outcome),
    unsubscribe: z.strictObject({ ...outcome, button: text }),
    unsubscribed: z.strictObject(outcome),
    dead_link: z.strictObject(outcome),
    failed: z.strictObject(outcome),
  }),
  pricing: z
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
          price: text.optional(),
          icon,
          /** Highlights a package; the label says why. */
          badge: text.optional(),
          features: many(text),
        }),
      ).refine(
        (all) => new Set(all.map(({ id }) => id)).size === all.length,
        'must each have their own id',
      ),
      /** What the packages include, row by row; a package that a row leaves out doesn't include it. */
      comparison: z
        .strictObject({
          ...heading,
          /** The head of the first column, and what screen readers say for a check mark and a dash. */
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
          const message = `is not the id of a package: the ids are ${ids.join(', ')}`;
          context.addIssue({ code: 'custom', path, message });
        }
      }
    }),
  'checkout-success': z.strictObject({
    head,
    title: text,
    text,
    next_title: text,
    steps: many(z.strictObject({ title: text, text })),
    back: text,
  }),
  'not-found': z.strictObject({
    head,
    kicker: text,
    title: text,
    text,
    picture: picture.optional(),
    links: many(link, 5),
  }),
  chat,
} as const;
