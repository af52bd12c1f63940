/** What a page module (`pages/<name>/page.tsx`) must offer, and where it can stand. */
import type { ComponentType } from 'react';
import type { PageHead } from './head.ts';

export type PageModule = {
  /** `slug` is the last part of its path: it tells posts from one another. */
  Page: ComponentType<{ slug: string }>;
  meta: (slug: string) => PageHead;
  /** Fetches what a client navigation needs beyond the module itself. */
  prepare?: (slug: string) => Promise<void>;
};

/** Which page a path leads to. */
export type Target = {
  path: string;
  /** Its folder in `pages/`. */
  page: string;
  slug: string;
  /** Whether search engines may list it. */
  listed: boolean;
};

/** A page that is ready to be shown. */
export type View = Target & { module: PageModule };
