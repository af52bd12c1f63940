/**
 * What the server itself says, in mails, as the answer to a form and as the proof of a consent, and
 * how long it keeps things: `server.json`, which `src/content` takes in when it is compiled.
 */
import type { Content } from '../src/content/types.ts';
import { writeIfChanged } from './write-if-changed.ts';

export function serverFacts({ site, retention, mails, messages, fields, pages }: Content) {
  const { consent_version: version, consent: wording } = pages.blog.newsletter;
  const { opening_hours, area_served, address, social, ...facts } = site;
  return { site: facts, consent: { version, wording }, retention, mails, messages, fields };
}

export const writeServerFacts = (content: Content, file: string) =>
  writeIfChanged(file, Buffer.from(`${JSON.stringify(serverFacts(content), null, 2)}\n`));
