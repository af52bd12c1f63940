/**
 * The content that all pages share (the business, retention periods, the frame around a page, the chat), and the
 * server's texts for visitors (`content/mails.toml` and `content/forms.toml`).
 */
import { z } from 'zod';
import fields from '../../../contract/fields.json' with { type: 'json' };
import messages from '../../../contract/messages.json' with { type: 'json' };
import { type Network, networks } from './networks.ts';
import { icon, link, many, text, url } from './schema-parts.ts';

const ofNetworks = <T extends z.ZodType>(each: (network: Network) => T) =>
  Object.fromEntries((Object.keys(networks) as Network[]).map((name) => [name, each(name)])) as {
    [Name in Network]: T;
  };

function isTimeZone(name: string) {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** In schema.org's format; a day without hours is open all day. */
const openingHours = /^(Mo|Tu|We|Th|Fr|Sa|Su)([-,](Mo|Tu|We|Th|Fr|Sa|Su))*( \d\d:\d\d-\d\d:\d\d)?$/;

const colour = text.regex(/^#[0-9a-f]{6}$/i, 'must be a colour such as #0f766e');

export const site = z.strictObject({
  name: text,
  tagline: text,
  url: url.refine((value) => !value.endsWith('/'), 'must not end with a slash'),
  email: z.email(),
  phone: text.optional(),
  location: text,
  time_zone: text.refine(isTimeZone, 'must be a time zone such as America/Toronto'),
  booking_url: url,
  /** For search engines. */
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
  /** The owner's own look; what is left out keeps the original one. */
  brand: z
    .strictObject({
      mark: text
        .regex(/^[^/]+\.svg$/i, 'must be the name of an SVG drawing beside this file')
        .optional(),
      accent: colour.optional(),
      highlight: colour.optional(),
    })
    .optional(),
  social: z.strictObject(ofNetworks(() => url.optional())).prefault({}),
});

/** At most a hundred years: a period must be a promise. */
const days = z.int().min(1).max(36_500);

export const retention = z.strictObject({
  leads: days,
  spam: days,
  unconfirmed: days.min(7, 'must be at least 7: the link to confirm works that long'),
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
  code: text.default('Code'),
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

export const chat = z.strictObject({
  icon,
  label: text,
  note: text,
  loading: text,
  unavailable: link,
});

/** Of a mail: a line break would begin another header. */
const subject = text.regex(/^[^\r\n]*$/, 'must be one line');

const textFor = <T extends object>(keys: T) =>
  Object.fromEntries(Object.keys(keys).map((key) => [key, text])) as {
    [Key in keyof T]: typeof text;
  };

/** The texts of mails to visitors; `contract/mails.json` has those that are left out. */
export const mails = z.strictObject({
  auto_reply: z.strictObject({
    subject,
    greeting: text,
    promise: text,
    talk: text,
    booking: text,
    note: text,
  }),
  confirmation: z.strictObject({ subject, greeting: text, text, button: text, note: text }),
  newsletter: z.strictObject({ reason: text, unsubscribe: text }),
});

/** The texts of forms; `contract/messages.json` and `fields.json` have those that are left out. */
export const forms = z.strictObject({
  labels: z.strictObject(textFor(fields)),
  messages: z.strictObject({
    ...textFor(messages),
    too_long: text.refine(
      (words) => words.includes('{field}') && words.includes('{limit}'),
      'must contain {field} and {limit}, where the name and the number go',
    ),
  }),
});
