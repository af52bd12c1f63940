/** Structured data is held to the published vocabulary of schema.org, page by page. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { frozenContent } from '../build/testing/frozen-content.ts';
import { pageFiles, render } from './entry-server.tsx';

const content = await frozenContent();
const { site } = content;
const { layout } = content.pages;

const vocabulary = readFileSync(
  createRequire(import.meta.url)
    .resolve('schema-dts')
    .replace(/\.js$/, '.d.ts'),
  'utf8',
);

/** Of each kind of thing, and of those that are no more than a parent: what it adds to its parents. */
const kinds = new Map(
  [...vocabulary.matchAll(/^(?:export )?interface (\w+) extends ([^{]+)\{\n([\s\S]*?)^\}/gm)].map(
    ([, name = '', parents = '', body = '']) => [
      name,
      {
        parents: parents.split(',').map((parent) => parent.trim()),
        own: [...body.matchAll(/^\s+"(\w+)"\?:/gm)].map(([, property = '']) => property),
      },
    ],
  ),
);

function propertiesOf(kind: string): string[] {
  const { parents = [], own = [] } = kinds.get(kind) ?? {};
  return [...own, ...parents.flatMap(propertiesOf)];
}

/** What in it the vocabulary does not have. */
function unknown(data: unknown): string[] {
  if (Array.isArray(data)) return data.flatMap(unknown);
  if (typeof data !== 'object' || data === null) return [];
  const { '@type': type, '@id': id, ...properties } = data as Record<string, unknown>;
  const isReference = type === undefined && id !== undefined;
  if (isReference && Object.keys(properties).length === 0) return [];
  if (typeof type !== 'string' || !kinds.has(`${type}Leaf`)) return [`the type ${type}`];
  const allowed = new Set(propertiesOf(`${type}Leaf`));
  return Object.entries(properties).flatMap(([name, value]) => [
    ...(allowed.has(name) ? [] : [`${type}.${name}`]),
    ...unknown(value),
  ]);
}

type Data = Record<string, unknown>;
const pages = new Map(
  pageFiles(content)
    .filter(({ template }) => !template)
    .map((file) => [file.path, render(content, file).meta.structuredData as Data[]]),
);

const find = (path: string, type: string) =>
  pages.get(path)?.filter((data) => data['@type'] === type) ?? [];

it('what the vocabulary does not have is found, wherever it stands', () => {
  const offer = { '@type': 'Offer', name: 'x', itemOffered: { '@type': 'Service', colour: 'red' } };
  expect(unknown(offer)).toEqual(['Service.colour']);
  expect(unknown([{ '@type': 'Offering', name: 'x' }])).toEqual(['the type Offering']);
  expect(unknown({ '@type': 'LocalBusiness', '@id': 'x', openingHours: 'Mo', email: 'x' })).toEqual(
    [],
  );
});

it('every page keeps to the vocabulary', () => {
  expect(pages.size).toBeGreaterThan(8);
  for (const [path, data] of pages) expect(unknown(data), path).toEqual([]);
});

describe('what the content says is told:', () => {
  it('who and where the business is, when it is open and whom it serves', () => {
    expect(find('/', 'LocalBusiness')[0]).toMatchObject({
      name: site.name,
      telephone: site.phone,
      address: {
        '@type': 'PostalAddress',
        addressRegion: site.address?.region,
        addressCountry: site.address?.country,
      },
      openingHours: site.opening_hours,
      areaServed: site.area_served,
    });
    expect(JSON.stringify([...pages])).not.toContain('undefined');
  });

  it('an offer for each package, with no price', () => {
    const offers = find('/pricing', 'Offer');
    expect(offers).toHaveLength(4);
    for (const offer of offers) expect(offer).not.toHaveProperty('price');
  });

  it('when a post was written and changed', () => {
    const [post] = [...pages.keys()].filter((path) => path.startsWith('/blog/'));
    expect(find(post ?? '', 'BlogPosting')[0]).toMatchObject({
      datePublished: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      dateModified: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    });
  });

  it('the way to every page but the first', () => {
    for (const { path, label } of layout.nav.filter((link) => link.path !== '/')) {
      const [trail] = find(path, 'BreadcrumbList');
      expect(JSON.stringify(trail), path).toContain(label);
    }
    expect(find('/', 'BreadcrumbList')).toEqual([]);
  });
});
