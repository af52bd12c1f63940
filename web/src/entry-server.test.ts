import { expect, it } from 'vitest';
import { frozenContent } from '../build/testing/content-copy.ts';
import { pageFiles } from './entry-server.tsx';
import { targetAt } from './routes.ts';

const folders = Object.keys(import.meta.glob('./pages/*/page.tsx')).map(
  (file) => file.split('/')[2],
);

it('every page that is written is made, and every page that is to be made is written', async () => {
  const content = await frozenContent();
  // There need be no category with a page.
  const made = new Set(['category', ...pageFiles(content).map(({ page }) => page)]);
  expect([...made].toSorted()).toEqual(folders.toSorted());
});

it('a path leads to its page, with the last part of it as the slug', () => {
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
