/**
 * What the server says itself (mails, answers to forms, the proof of a consent), saved replies and retention periods:
 * `server.json`, which `src/content` includes when it is compiled. Texts that the owner leaves out come from `contract/`.
 */
import contractFields from '../../contract/fields.json' with { type: 'json' };
import mailColours from '../../contract/mail-colours.json' with { type: 'json' };
import contractMails from '../../contract/mails.json' with { type: 'json' };
import contractMessages from '../../contract/messages.json' with { type: 'json' };
import type { ContactField, Content, FieldFacts, Fields } from '../src/content/types.ts';
import { type Colours, recolouring } from './recolour.ts';

export function serverFacts(content: Content) {
  const { site, retention, mails, messages, fields, replies, pages } = content;
  const { consent_version: version, consent: wording } = pages.blog.newsletter;
  const { name, tagline, url, email, phone, location, time_zone, booking_url, brand } = site;
  const business = { name, tagline, url, email, phone, location, time_zone, booking_url };
  const isRecoloured = brand?.accent || brand?.highlight;
  return {
    site: { ...business, ...(isRecoloured && { mail_colours: recoloured(brand) }) },
    consent: { version, wording },
    retention,
    mails,
    messages,
    fields,
    replies,
  };
}

const recoloured = (colours: Colours): typeof mailColours => {
  const recolour = recolouring(colours);
  const { head, button, link } = mailColours;
  return { head: recolour(head), button: recolour(button), link: recolour(link) };
};

export type Texts = Record<string, Record<string, string>>;

const ownFields = Object.entries(contractFields) as [ContactField, FieldFacts][];

export const defaultMails: Texts = contractMails;
export const defaultForms: Texts = {
  labels: Object.fromEntries(ownFields.map(([name, { label }]) => [name, label])),
  messages: contractMessages,
};

/** The owner's tables, with the defaults for what they leave out. */
export function withDefaults(defaults: Texts, written: Record<string, unknown>) {
  const filled = Object.entries(defaults).map(([name, texts]) => {
    const table = written[name];
    return [name, isTable(table) ? { ...texts, ...table } : (table ?? texts)];
  });
  return { ...written, ...Object.fromEntries(filled) };
}

const isTable = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields of the form with the owner's labels. A new label is also the field's name in a sentence. */
export const fieldsWith = (labels: Record<ContactField, string>): Fields =>
  Object.fromEntries(
    ownFields.map(([name, { sentence, ...facts }]) => {
      const label = labels[name];
      const kept = sentence !== undefined && label === facts.label && { sentence };
      return [name, { ...facts, label, ...kept }];
    }),
  ) as Fields;
