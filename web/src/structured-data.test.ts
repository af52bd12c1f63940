/** What pages tell search engines. The types of `schema-dts` keep it to the vocabulary of schema.org. */
import { expect, it } from 'vitest';
import { frozenContent } from '../build/testing/content-copy.ts';
import { pageFiles, render } from './entry-server.tsx';

const content = await frozenContent();
const { site } = content;

type Data = Record<string, unknown>;
const pages = new Map(
  pageFiles(content)
    .filter(({ template }) => !template)
    .map((file) => [file.path, render(content, file).meta.structuredData as Data[]]),
);

const find = (path: string, type: string) =>
  pages.get(path)?.filter((data) => data['@type'] === type) ?? [];

it('it says who and where the business is, when it is open and whom it serves', () => {
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

it('it has an offer for each package, with no price', () => {
  const offers = find('/pricing', 'Offer');
  expect(offers).toHaveLength(4);
  for (const offer of offers) expect(offer).not.toHaveProperty('price');
});

it('it says when a post was written and changed', () => {
  const [post] = [...pages.keys()].filter((path) => path.startsWith('/blog/'));
  expect(find(post ?? '', 'BlogPosting')[0]).toMatchObject({
    datePublished: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    dateModified: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
  });
});

it('it has the way to every page but the first', () => {
  for (const { path, label } of content.pages.layout.nav.filter((link) => link.path !== '/')) {
    const [trail] = find(path, 'BreadcrumbList');
    expect(JSON.stringify(trail), path).toContain(label);
  }
  expect(find('/', 'BreadcrumbList')).toEqual([]);
});
