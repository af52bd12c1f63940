/**
 * The server's own texts (mails, answers to forms, the proof of a consent) and retention periods:
 * `server.json`, which `src/content` includes when it is compiled.
 */
import drawn from '../../contract/mail-colours.json' with { type: 'json' };
import type { Content } from '../src/content/types.ts';
import { writeIfChanged } from './pack.ts';
import { type Colours, recolouring } from './recolour.ts';

export function serverFacts({ site, retention, mails, messages, fields, pages }: Content) {
  const { consent_version: version, consent: wording } = pages.blog.newsletter;
  const { opening_hours, area_served, address, social, brand, ...facts } = site;
  const own = brand?.accent || brand?.highlight ? { mail_colours: mailColours(brand) } : {};
  return {
    site: { ...facts, ...own },
    consent: { version, wording },
    retention,
    mails,
    messages,
    fields,
  };
}

const mailColours = (colours: Colours): typeof drawn => ({
  head: recolouring(colours)(drawn.head),
  button: recolouring(colours)(drawn.button),
  link: recolouring(colours)(drawn.link),
});

export const writeServerFacts = (content: Content, file: string) =>
  writeIfChanged(file, Buffer.from(`${JSON.stringify(serverFacts(content), null, 2)}\n`));
