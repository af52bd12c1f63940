/** The types of a page: its module (`pages/<name>/page.tsx`), its path and its head. */
import type { ComponentType } from 'react';
import type { Content } from '../content/types.ts';

export type Article = {
  published: string;
  updated?: string | undefined;
  categories: string[];
};

/** A page's own data for its head; the rest follows from its path. */
export type PageHead = {
  /** For the tab. */
  title: string;
  description: string;
  picture: { name?: string; title: string; kicker: string };
  /** Its name in the breadcrumbs; by default the kicker. */
  crumb?: string;
  article?: Article;
  /** The day of its last change, if known. */
  modified?: string | undefined;
  structuredData?: object[];
  /** An address to use instead of its own. */
  path?: string;
  index?: boolean;
};

export type PageModule = {
  /** `slug` is the last part of its path, such as a post's name. */
  Page: ComponentType<{ slug: string }>;
  meta: (content: Content, slug: string) => PageHead;
};

export type Target = {
  path: string;
  /** Its folder in `pages/`. */
  page: string;
  slug: string;
  /** Whether search engines may list it. */
  listed: boolean;
};

export type View = Target & { module: PageModule };
