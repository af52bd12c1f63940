/** The content as the build hands it to the pages. */
import type { z } from 'zod';
import type { postFrontMatter } from './post-schema.ts';
import type * as schema from './schema.ts';
import type { forms, mails } from './server-words.ts';
import type { retention, site } from './site-schema.ts';

export type Site = z.infer<typeof site>;
/** In days. */
export type Retention = z.infer<typeof retention>;
/** The words of the mails that visitors get. */
export type Mails = z.infer<typeof mails>;
type Forms = z.infer<typeof forms>;
export type Messages = Forms['messages'];
export type ContactField = keyof Forms['labels'];
export type FieldFacts = {
  label: string;
  /** What it is called in a sentence, where that differs. */
  sentence?: string;
  /** The most characters. */
  limit: number;
  required: boolean;
};
export type Fields = Record<ContactField, FieldFacts>;
type ServiceFile = z.infer<typeof schema.service>;
export type PageContent = {
  [Name in keyof typeof schema.pageSchemas]: z.infer<(typeof schema.pageSchemas)[Name]>;
};
export type Home = PageContent['home'];
export type Package = Page<'pricing'>['packages'][number];
export type Closing = PageContent['blog']['post']['cta'];
export type Person = NonNullable<Page<'about'>['team']>['items'][number];
export type Testimonial = NonNullable<Page<'home'>['testimonials']>['items'][number];
export type CaseStudy = NonNullable<Page<'services'>['cases']>['items'][number];
export type Comparison = NonNullable<Page<'pricing'>['comparison']>;
export type Point = NonNullable<Page<'home'>['expectations']>['items'][number];
export type Link = PageContent['layout']['nav'][number];

type FrontMatter = z.infer<typeof postFrontMatter>;

export type Post = FrontMatter & {
  id: string;
  slug: string;
  author: string;
  picture: PageContent['blog']['post']['default_picture'];
  cta: Closing;
  html: string;
  /** How long it takes to read. */
  minutes: number;
};

export type LegalText = z.infer<typeof schema.legalFrontMatter> & { slug: string; html: string };

export type Content = {
  site: Site;
  retention: Retention;
  mails: Mails;
  messages: Messages;
  /** Of the contact form, in its order. */
  fields: Fields;
  pages: PageContent;
  services: ServiceFile[];
  posts: Post[];
  legal: LegalText[];
};

export type PictureFile = {
  /** What every browser can show. */
  src: string;
  width: number;
  height: number;
  /** Of a photo: lighter kinds of it, each in several widths, the lightest first. */
  sources?: { type: string; srcset: string }[];
};
export type Picture = PictureFile & { alt: string };

/** Content as a page sees it: each picture with its file, each icon with its path, instead of its name. */
export type Shown<T> = T extends { alt: string }
  ? Picture
  : T extends (infer Item)[]
    ? Shown<Item>[]
    : T extends object
      ? { [Key in keyof T]: Key extends 'icon' ? string : Shown<T[Key]> }
      : T;

export type Page<Name extends keyof PageContent> = Shown<PageContent[Name]>;
export type Service = Shown<ServiceFile>;
export type ServiceSummary = Pick<
  Service,
  | 'id'
  | 'order'
  | 'title'
  | 'subtitle'
  | 'short_description'
  | 'description'
  | 'icon'
  | 'card_picture'
>;
export type ShownPost = Shown<Post>;
