/**
 * Prints the pages of the site, without their scripts, in other variants: one, five or twelve of everything, the
 * optional sections filled in or not, or nothing but what must be there.
 * `node print-variants.ts FOLDER '{"five":{"count":5,"filled":false}}'` writes `FOLDER/five.json`, HTML by path.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { networks } from '../../src/content/networks.ts';
import { pageSchemas, service as serviceSchema } from '../../src/content/schema.ts';
import { site as siteSchema } from '../../src/content/site-schema.ts';
import type { Content, Picture } from '../../src/content/types.ts';
import { buildServer, buildStyles } from '../bundles.ts';
import { loadContent } from '../content.ts';
import { buildFontFiles } from '../media.ts';
import { paths } from '../paths.ts';
import { groundColour } from '../recolour.ts';
import { classesOf, prune } from '../styles.ts';
import { printDocument } from '../template.ts';
import { frozen } from './frozen.ts';

type Variant = { count: number; filled: boolean } | 'bare';

/** As many as asked for, each told from the others by its number. */
function times<T extends object>(items: T[], count: number): T[] {
  return Array.from({ length: count }, (_, at) => {
    const item = items[at % items.length] as T;
    if (at < items.length) return item;
    const numbered = Object.entries(item).map(([key, value]) => {
      const isName = ['title', 'name', 'question', 'client'].includes(key);
      if (key === 'id' || key === 'anchor') return [key, `${value}-${at + 1}`];
      return [key, isName ? `${value} ${at + 1}` : value];
    });
    return Object.fromEntries(numbered) as T;
  });
}

function asVariant(content: Content, variant: Variant): Content {
  if (variant === 'bare') return bare(content);
  const { count, filled } = variant;
  const picture = content.pages.blog.post.default_picture;
  const { home, about, services, contact, pricing } = content.pages;
  const list = <T extends { items: object[] }>(section: T | undefined): T | undefined =>
    section && { ...section, items: times(section.items, count) };
  const pages = {
    ...content.pages,
    home: {
      ...home,
      steps: list(home.steps),
      expectations: list(home.expectations),
      showcase: home.showcase && {
        ...home.showcase,
        points: times(home.showcase.points, count),
      },
      ...(filled && { logos: logos(count, picture), testimonials: list(testimonials) }),
    },
    services: { ...services, ...(filled && { cases: list(cases(picture)) }) },
    about: {
      ...about,
      values: list(about.values),
      why: list(about.why),
      ...(filled && { team: list(team(picture)) }),
    },
    contact: {
      ...contact,
      faq: list(contact.faq),
      ...(filled && { timeline: list(home.steps) }),
    },
    pricing: {
      ...pricing,
      packages: times(pricing.packages, count).map((entry, at) =>
        at % 3 === 2 ? { ...entry, price: 'From $1,200' } : entry,
      ),
      why: list(pricing.why),
      ...(filled && { comparison: comparison(content) }),
    },
    'checkout-success': {
      ...content.pages['checkout-success'],
      steps: times(content.pages['checkout-success'].steps, count),
    },
  };
  const own = times(content.services, count).map((entry, at) => ({ ...entry, order: at }));
  return {
    ...content,
    pages,
    services: own,
    site: { ...content.site, social: filled ? profiles(count) : {} },
  };
}

/** Everything that may be left out is left out. */
function bare(content: Content): Content {
  const least = <S extends z.ZodType>(schema: S, value: z.infer<S>) =>
    required(schema, value) as z.infer<S>;
  const pages = Object.entries(pageSchemas).map(([name, schema]) => [
    name,
    least(schema as z.ZodType, content.pages[name as keyof typeof pageSchemas]),
  ]);
  return {
    ...content,
    pages: Object.fromEntries(pages),
    services: content.services.map((service) => least(serviceSchema, service)),
    site: least(siteSchema, content.site),
  };
}

function required(schema: z.ZodType, value: unknown): unknown {
  if (!(schema instanceof z.ZodObject)) return value;
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>);
  return Object.fromEntries(
    fields.map(([key, field]) => {
      const leftOut = field.safeParse(undefined);
      const own = (value as Record<string, unknown>)[key];
      return [key, leftOut.success ? leftOut.data : required(field, own)];
    }),
  );
}

const profiles = (count: number) =>
  Object.fromEntries(
    Object.keys(networks)
      .slice(0, count)
      .map((name) => [name, `https://${name}.example/sample`]),
  );

const heading = (title: string) => ({ kicker: 'A sample', title, lead: 'A sentence of a test.' });

const team = (picture: Picture) => ({
  ...heading('Who you will work with'),
  items: [
    { name: 'Ada Sample', role: 'Makes the pages', text: 'A sentence about Ada, of some length.' },
    { name: 'Bo', role: 'Keeps the automations running, day and night' },
    {
      name: 'Chidi Anagonye-Longname',
      role: 'Writes',
      picture: { ...picture, alt: 'A portrait of Chidi' },
    },
  ],
});

const testimonials = {
  ...heading('What clients say'),
  items: [
    {
      quote: 'A sentence that a test made up, and another one, so that it runs over some lines.',
      name: 'Dana Sample',
      role: 'Owner of a sample',
      source: { label: 'A review page', url: 'https://reviews.example/dana' },
    },
    { quote: 'Short and good.', name: 'Eli Sample', source: { label: 'A letter' } },
  ],
};

const cases = (picture: Picture) => ({
  ...heading('What we built'),
  items: [
    {
      client: 'A sample client',
      title: 'A website with a booking page',
      text: 'What was wrong, what was done, and what is different now.',
      results: ['One thing that can be counted', 'Another'],
      picture: { ...picture, alt: 'The website of a sample client' },
      link: { label: 'See it', url: 'https://client.example' },
    },
    { client: 'Another client', title: 'An automation', text: 'A sentence about it.' },
  ],
});

const logos = (count: number, picture: Picture) => ({
  title: 'They work with us',
  items: Array.from({ length: count }, (_, at) => ({
    // Round marks and long names take turns.
    picture: { ...picture, ...(at % 2 && { width: 32, height: 32 }), alt: `Business ${at + 1}` },
    ...(at % 2 && { url: `https://business-${at + 1}.example` }),
  })),
});

const comparison = ({ pages: { pricing } }: Content) => ({
  ...heading('What is in which package'),
  feature: 'What you get',
  included: 'Included',
  not_included: 'Not included',
  rows: [
    { label: 'Pages of your website', packages: { [pricing.packages[0]?.id ?? '']: '1-3' } },
    { label: 'Help', packages: { [pricing.packages[0]?.id ?? '']: true } },
  ],
});

const [, , folder = '', wanted = '{}'] = process.argv;
const { content } = await loadContent(frozen.content, paths.pictures);
const fonts = await buildFontFiles();
const pages = ['home', 'services', 'about', 'contact', 'pricing', 'checkout-success', 'not-found'];
const stylesOf = await buildStyles(pages);
const { pageFiles, render } = await buildServer();

for (const [name, variant] of Object.entries(JSON.parse(wanted) as Record<string, Variant>)) {
  const shown = asVariant(content, variant);
  const files = pageFiles(shown).filter(({ page }) => pages.includes(page));
  const rendered = files.map((file) => ({ file, ...render(shown, file) }));
  const isShown = classesOf(
    rendered.map(({ html }) => html),
    [],
  );
  const documents = rendered.map(({ file, head, html }) => [
    file.template ? `/${file.template}` : file.path,
    printDocument({
      head,
      body: html,
      fontCss: fonts.css,
      css: prune(stylesOf(file.page), isShown),
      fonts: fonts.urls,
      release: name,
      script: undefined,
      feedTitle: content.site.name,
      ground: groundColour(content.site.brand),
    }),
  ]);
  await writeFile(join(folder, `${name}.json`), JSON.stringify(Object.fromEntries(documents)));
}
