/**
 * What the owner may write in `content/`, file by file.
 *
 * The build checks every file against these schemas and names the file and the
 * field when something is wrong. The app imports only the types.
 */
import { z } from 'zod';
import { iconPaths } from './icon-paths.ts';
import { type Network, networks } from './networks.ts';
import { text } from './text.ts';

const url = z.url({ protocol: /^https?$/, error: 'must be an http(s) address' });
const icon = z.enum(Object.keys(iconPaths) as [keyof typeof iconPaths]);

/** A path of this site, checked against the real routes and section ids. */
const path = z
  .string()
  .regex(/^\/[^\s]*$/, 'must be a path of this site, such as /services#websites');

const alt = z
  .string({ error: 'is missing: say what the picture shows, for whoever does not see it' })
  .trim()
  .min(1, 'must say what the picture shows');

/** A drawing by its name in `web/pictures/`, without `.svg`, or a photo by that of its file beside this one. */
export const picture = z
  .strictObject({ name: text.optional(), file: text.optional(), alt })
  .refine(
    ({ name, file }) => (name === undefined) !== (file === undefined),
    'must have either name (a drawing of web/pictures) or file (a photo beside this file)',
  );

/** A name that can stand in an address. */
const slug = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be small letters, digits and hyphens');

const link = z.strictObject({ label: text, path });
const heading = { kicker: text, title: text, lead: text };
const point = z.strictObject({ icon, title: text, text });
const step = z.strictObject({ label: text, title: text, text });

/** The pages hold from one of a thing to twelve. */
const many = <T extends z.ZodType>(item: T, most = 12) =>
  z
    .array(item)
    .min(1, `must have 1 to ${most} entries`)
    .max(most, `must have 1 to ${most} entries`);

/** A section of things under a heading. */
const listOf = <T extends z.ZodType>(item: T) => z.strictObject({ ...heading, items: many(item) });

const ofNetworks = <T extends z.ZodType>(each: (network: Network) => T) =>
  Object.fromEntries((Object.keys(networks) as Network[]).map((name) => [name, each(name)])) as {
    [Name in Network]: T;
  };

/** What search engines and link previews show of a page. */
const head = z.strictObject({
  title: text,
  description: text.max(170),
});

/** Words with a place in them that a page fills in. */
const withPlace = (place: string) =>
  text.refine((words) => words.includes(place), `must say ${place} somewhere`);

/** A calendar day; TOML knows dates, but text in quotes is as good. */
export const day = z.union([z.date(), z.string()]).transform((value, context) => {
  const written = value instanceof Date ? value.toISOString().slice(0, 10) : value;
  const time = /^\d{4}-\d{2}-\d{2}$/.test(written) ? Date.parse(written) : Number.NaN;
  // February 30 is read as March 2: only a day that reads back the same is one.
  const real = !Number.isNaN(time) && new Date(time).toISOString().startsWith(written);
  if (!real) context.addIssue('must be a date such as 2026-10-01');
  return written;
});

export const closing = z.strictObject({ title: text, text, booking: text });

function isTimeZone(name: string) {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** As schema.org writes them; days alone are open all day. */
const openingHours = /^(Mo|Tu|We|Th|Fr|Sa|Su)([-,](Mo|Tu|We|Th|Fr|Sa|Su))*( \d\d:\d\d-\d\d:\d\d)?$/;

export const site = z.strictObject({
  name: text,
  tagline: text,
  url: url.refine((value) => !value.endsWith('/'), 'must not end with a slash'),
  email: z.email(),
  phone: text,
  location: text,
  time_zone: text.refine(isTimeZone, 'must be a time zone such as America/Toronto'),
  booking_url: url,
  /** For search engines; what is left out is not told. */
  opening_hours: z.array(text.regex(openingHours, 'must be like Mo-Fr 09:00-17:00')).optional(),
  area_served: text.optional(),
  address: z
    .strictObject({
      street: text.optional(),
      locality: text.optional(),
      region: text.optional(),
      postal_code: text.optional(),
      country: text.regex(/^[A-Z]{2}$/, 'must be two letters such as CA'),
    })
    .optional(),
  /** Those the business is on; none is shown otherwise. */
  social: z.strictObject(ofNetworks(() => url.optional())).prefault({}),
});

/** A hundred years: whatever is kept for ever is no promise. */
const days = z.int().min(1).max(36_500);

export const retention = z.strictObject({
  leads: days,
  spam: days,
  unconfirmed: days.min(7, 'must be at least 7: so long the link to confirm works'),
  unsubscribed: days,
  deliveries: days,
  links: days,
  refusals: days,
  schedules: days,
});

export const layout = z.strictObject({
  skip_to_content: text,
  new_tab_note: text,
  last_updated: text,
  table: text,
  motion: z.strictObject({ pause: text, play: text }),
  menu: z.strictObject({ open: text, close: text, label: text, booking: text }),
  nav: z.array(link).min(2).max(7),
  footer: z.strictObject({
    booking: text,
    quick_links: z.strictObject({ title: text, links: many(link) }),
    services: z.strictObject({ title: text }),
    reach_us: z.strictObject({ title: text }),
    social: z.strictObject({
      title: text,
      ...ofNetworks((network) => text.default(networks[network].label)),
    }),
    legal: many(link, 5),
    rights: text,
  }),
});

export const home = z.strictObject({
  head,
  hero: z
    .strictObject({
      headline: text,
      /** The end of the headline, set in colour. */
      accent: text,
      subtitle: text,
      booking: text,
      secondary: link,
      facts: many(text, 4),
    })
    .refine((hero) => hero.headline.endsWith(hero.accent), {
      path: ['accent'],
      error: 'must be the last words of the headline',
    }),
  services: z.strictObject(heading),
  /** Whose marks the site may show. */
  logos: z
    .strictObject({
      title: text,
      items: many(z.strictObject({ picture, url: url.optional() })),
    })
    .optional(),
  steps: listOf(step),
  expectations: listOf(point),
  showcase: z.strictObject({
    ...heading,
    label: text,
    picture,
    points: many(z.strictObject({ title: text, text })),
  }),
  testimonials: listOf(
    z.strictObject({
      quote: text,
      name: text,
      role: text.optional(),
      /** Where it was said: a review page, a letter. Words without a source prove nothing. */
      source: z.strictObject({ label: text, url: url.optional() }),
    }),
  ).optional(),
  contact: z.strictObject(heading),
});

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

export const services = z.strictObject({
  head,
  hero: z.strictObject(heading),
  features_title: text,
  benefits_title: text,
  get_started: text,
  learn_more: text,
  /** Real work for real clients, below the services. */
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
  closing,
});

export const about = z.strictObject({
  head,
  hero: z.strictObject(heading),
  mission: z.strictObject({
    kicker: text,
    title: text,
    paragraphs: many(text),
    picture,
  }),
  values: listOf(point),
  why: listOf(point),
  team: listOf(
    z.strictObject({
      name: text,
      role: text,
      text: text.optional(),
      /** Without one, the person's initials. */
      picture: picture.optional(),
    }),
  ).optional(),
  closing,
});

export const contact = z.strictObject({
  head,
  hero: z.strictObject(heading),
  form_title: text,
  info: z.strictObject({
    title: text,
    email_label: text,
    phone_label: text,
    availability_label: text,
    availability: text,
    response: text,
    social_label: text,
    location_label: text,
    map: picture,
  }),
  /** What happens after the call. */
  timeline: listOf(step).optional(),
  faq: listOf(z.strictObject({ question: text, answer: text })),
  closing,
});

export const contactForm = z.strictObject({
  optional: text,
  message_hint: text,
  decoy: text,
  submit: text,
  sending: text,
  privacy: text,
  privacy_link: text,
});

export const contactOutcome = z.strictObject({
  sent: z.strictObject({ head, kicker: text, title: text, text, booking: text, back: link }),
  failed: z.strictObject({ head, title: text, text }),
});

export const blog = z.strictObject({
  head,
  hero: z.strictObject(heading),
  read_more: text,
  feed: text,
  modal: z.strictObject({ close: text, open_page: text }),
  post: z.strictObject({
    back: text,
    previous: text,
    next: text,
    author: text,
    draft: text,
    updated: text,
    reading_time: withPlace('{minutes}'),
    default_picture: picture,
    cta: closing,
  }),
  category: z.strictObject({
    title: withPlace('{category}'),
    lead: text,
    all: text,
    description: withPlace('{category}').max(150),
  }),
  not_found: z.strictObject({ head, text, back: text }),
  newsletter: z.strictObject({
    kicker: text,
    title: text,
    text,
    email: text,
    decoy: text,
    subscribe: text,
    sending: text,
    consent: text,
    /** Raise it whenever the consent wording changes: it is kept as proof. */
    consent_version: z.int().positive(),
  }),
});

const outcome = { head, title: text, text };

export const newsletter = z.strictObject({
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
});

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
    choosing: closing,
    why: listOf(point),
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

export const checkoutSuccess = z.strictObject({
  head,
  title: text,
  text,
  next_title: text,
  steps: many(z.strictObject({ title: text, text })),
  back: text,
});

export const notFound = z.strictObject({
  head,
  kicker: text,
  title: text,
  text,
  picture,
  links: many(link, 5),
});

export const chat = z.strictObject({
  icon,
  label: text,
  note: text,
  loading: text,
  unavailable: link,
});

export const legalFrontMatter = z.strictObject({
  title: text,
  description: text.max(170),
  updated: day,
});

/** The files of `content/` that hold one page's words each. */
export const pageSchemas = {
  layout,
  home,
  services,
  about,
  contact,
  'contact-form': contactForm,
  'contact-outcome': contactOutcome,
  blog,
  newsletter,
  pricing,
  'checkout-success': checkoutSuccess,
  'not-found': notFound,
  chat,
} as const;
