/** The facts of the site that the tests look at, from the one file that holds them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { frozen } from '../../web/build/testing/frozen.ts';

const file = join(frozen.content, 'site.toml');

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
