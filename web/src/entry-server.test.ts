/** Which pages there are, and what they tell search engines. `schema-dts` keeps the types of that to schema.org's. */
import { expect, it } from 'vitest';
import { frozenContent } from '../build/testing/content-copy.ts';
import { pageFiles, render } from './entry-server.tsx';
import { targetAt } from './routes.ts';

const content = await frozenContent();
const { site } = content;

const folders = Object.keys(import.meta.glob('./pages/*/page.tsx')).map(
  (file) => file.split('/')[2],
);

it('every page folder has a page in the build, and every page has a folder', () => {
  // No category may have a page.
  const made = new Set(['category', ...pageFiles(content).map(({ page }) => page)]);
  expect([...made].toSorted()).toEqual(folders.toSorted());
});

it('a path leads to its page, with its last part as the slug', () => {
  expect(targetAt('/blog/some-post')).toMatchObject({
    page: 'post',
    slug: 'some-post',
    listed: true,
  });
  expect(targetAt('/blog/category/a-kind')).toMatchObject({ page: 'category', slug: 'a-kind' });
  expect(targetAt('/contact/sent')).toMatchObject({ page: 'contact-sent', listed: false });
  expect(targetAt('/checkout/success')).toMatchObject({ listed: false });
  expect(targetAt('/')).toMatchObject({ page: 'home', slug: '' });
  for (const path of ['/blog/', '/blog/a/b', '/nowhere', '/blog/a/', '']) {
    expect(targetAt(path), path).toBeUndefined();
  }
});

type Data = Record<string, unknown>;
const pages = new Map(
  pageFiles(content)
    .filter(({ template }) => !template)
    .map((file) => [file.path, render(content, file).meta.structuredData as Data[]]),
);

const find = (path: string, type: string) =>
  pages.get(path)?.filter((data) => data['@type'] === type) ?? [];

it('the home page says who and where the business is, when it is open and whom it serves', () => {
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

it('every page but the first has breadcrumbs', () => {
  for (const { path, label } of content.pages.layout.nav.filter((link) => link.path !== '/')) {
    const [trail] = find(path, 'BreadcrumbList');
    expect(JSON.stringify(trail), path).toContain(label);
  }
  expect(find('/', 'BreadcrumbList')).toEqual([]);
});
