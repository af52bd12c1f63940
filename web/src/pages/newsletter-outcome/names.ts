/** The documents made from this page, each a table of `content/newsletter.toml`. */
export const newsletterPages = [
  'accepted',
  'refused',
  'confirm',
  'confirmed',
  'unsubscribe',
  'unsubscribed',
  'dead_link',
  'failed',
] as const;

export type Name = (typeof newsletterPages)[number];
