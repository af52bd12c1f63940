/** The content as the build hands it to the pages. */
import type { z } from 'zod';
import type * as schema from './schema.ts';
import type { PictureFile } from './schema-parts.ts';
import type { forms, mails, retention, site } from './site-schema.ts';

export type { PictureFile };

export type Site = z.infer<typeof site>;
/** In days. */
export type Retention = z.infer<typeof retention>;
export type Mails = z.infer<typeof mails>;
type Forms = z.infer<typeof forms>;
export type Messages = Forms['messages'];
export type ContactField = keyof Forms['labels'];
export type FieldFacts = {
  label: string;
  /** Its name in a sentence, if that differs. */
  sentence?: string;
  /** The maximum number of characters. */
  limit: number;
  required: boolean;
};
export type Fields = Record<ContactField, FieldFacts>;
export type Service = z.infer<typeof schema.service>;
export type PageContent = {
  [Name in keyof typeof schema.pageSchemas]: z.infer<(typeof schema.pageSchemas)[Name]>;
};
export type Package = PageContent['pricing']['packages'][number];
export type Closing = PageContent['blog']['post']['cta'];
export type Testimonial = NonNullable<PageContent['home']['testimonials']>['items'][number];
export type Comparison = NonNullable<PageContent['pricing']['comparison']>;
export type Point = NonNullable<PageContent['home']['expectations']>['items'][number];
export type Link = PageContent['layout']['nav'][number];

export type Post = z.infer<typeof schema.postFrontMatter> & {
  id: string;
  slug: string;
  author: string;
  picture: PageContent['blog']['post']['default_picture'];
  cta: Closing;
  html: string;
  minutes: number;
};

export type LegalText = z.infer<typeof schema.legalFrontMatter> & { slug: string; html: string };

/** A text to begin a reply with, at the owner's desk. */
export type SavedReply = { name: string; text: string };

export type Content = {
  site: Site;
  retention: Retention;
  mails: Mails;
  messages: Messages;
  /** Of the contact form, in order. */
  fields: Fields;
  pages: PageContent;
  services: Service[];
  /** The newest first. */
  posts: Post[];
  /** Categories with two posts or more, which have a page. */
  categories: Category[];
  legal: LegalText[];
  replies: SavedReply[];
  mark: PictureFile | undefined;
  /** Of the build. */
  year: number;
};

export type Category = { name: string; slug: string; path: string; posts: Post[] };

export type Picture = PictureFile & { alt: string };
