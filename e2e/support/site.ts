/** The owner's facts, from the one file that holds them. */
import { readFileSync } from 'node:fs';
import { parse } from 'smol-toml';

const file = new URL('../../content/site.toml', import.meta.url);

export const site = parse(readFileSync(file, 'utf8')) as {
  name: string;
  tagline: string;
  url: string;
  email: string;
  phone: string;
  location: string;
  booking_url: string;
  social: Record<'twitter' | 'linkedin' | 'instagram', string>;
};
