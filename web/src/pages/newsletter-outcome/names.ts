import words from 'content:newsletter';

type Words = typeof words;
export type Name = {
  [Key in keyof Words]: Words[Key] extends { head: object } ? Key : never;
}[keyof Words];

const isPage = (key: keyof Words): key is Name => 'head' in Object(words[key]);

/** The documents made from this page: the tables of `content/newsletter.toml` with a head. */
export const newsletterPages = (Object.keys(words) as (keyof Words)[]).filter(isPage);
