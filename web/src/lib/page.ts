/** What a page module (`pages/<name>/page.tsx`) must offer. */
import type { ComponentType } from 'react';
import type { PageMeta } from './head.ts';

export type Params = Record<string, string>;

export type PageModule = {
  Page: ComponentType<{ params: Params }>;
  meta: (params: Params) => PageMeta;
  /** Fetches what a client navigation needs beyond the module itself. */
  prepare?: (params: Params) => Promise<void>;
};

/** A page that is ready to be shown. */
export type View = { path: string; params: Params; module: PageModule };
