/** The content as the build hands it to the pages. */
import type { z } from 'zod';
import type * as schema from './schema.ts';

export type Site = z.infer<typeof schema.site>;
export type Service = z.infer<typeof schema.service>;
export type ServiceSummary = Omit<Service, 'features' | 'benefits' | 'picture'>;
export type PageContent = {
  [Name in keyof typeof schema.pageSchemas]: z.infer<(typeof schema.pageSchemas)[Name]>;
};
export type Home = PageContent['home'];
export type Package = PageContent['pricing']['packages'][number];
export type Closing = PageContent['services']['closing'];
export type PictureRef = Home['showcase']['picture'];
export type Point = Home['expectations']['items'][number];
export type Link = PageContent['layout']['nav'][number];

type FrontMatter = z.infer<typeof schema.postFrontMatter>;

export type Post = FrontMatter & {
  slug: string;
  author: string;
  picture: PictureRef;
  cta: Closing;
  html: string;
};

export type LegalText = z.infer<typeof schema.legalFrontMatter> & { html: string };

/** Long text lives in a file of its own: the page carries it, scripts need not. */
export type Prose = { url: string; html?: string };
export type PostSummary = Omit<Post, 'html'> & { body: Prose };
export type LegalPage = Omit<LegalText, 'html'> & { body: Prose };

export type Content = {
  site: Site;
  pages: PageContent;
  services: Service[];
  posts: Post[];
  legal: { privacy: LegalText; terms: LegalText };
};

export type PictureFile = { src: string; width: number; height: number };
