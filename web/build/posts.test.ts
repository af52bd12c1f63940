/** What the blog makes of its posts: order, drafts, dates, categories, reading time. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadContent } from './content.ts';
import { paths } from './paths.ts';
import { readingMinutes } from './posts.ts';
import { ContentCopy, samplePost } from './testing/content-copy.ts';
import { phonePhoto } from './testing/photo.ts';

let copy: ContentCopy;
beforeEach(async () => {
  copy = await ContentCopy.make();
});
afterEach(() => copy.dispose());

const load = (options = {}) => loadContent(copy.content, paths.pictures, options);
const slugs = async (options = {}) => (await load(options)).content.posts.map(({ slug }) => slug);

describe('a draft', () => {
  it('is left out, with its photos, unless it is asked for', async () => {
    await copy.write('posts/shop.jpg', await phonePhoto({ width: 800, height: 600 }));
    await copy.write('posts/front.jpg', await phonePhoto({ width: 700, height: 600 }));
    const fields = 'draft = true\npicture = { file = "front.jpg", alt = "A front" }';
    await copy.write('posts/sample.md', samplePost(fields, '![A shop](shop.jpg)'));
    const { content, links, photos } = await load();
    expect(content.posts.map(({ slug }) => slug)).not.toContain('sample');
    expect(links.filter(({ file }) => file === 'posts/sample.md')).toEqual([]);
    expect(photos.files.size).toBe(0);
    const shown = await load({ drafts: true });
    expect(shown.content.posts[0]).toMatchObject({ slug: 'sample', draft: true });
    expect(Object.keys(shown.photos.pictures).toSorted()).toEqual([
      'posts/front.jpg',
      'posts/shop.jpg',
    ]);
  });

  it('need not be whole before it is one no more', async () => {
    const half = samplePost('draft = true').replace(/^excerpt = .*\n/m, '');
    await copy.write('posts/sample.md', half);
    expect(await slugs()).not.toContain('sample');
    await expect(load({ drafts: true })).rejects.toThrow('content/posts/sample.md: excerpt: ');
    await copy.write('posts/sample.md', half.replace('draft = true', 'draft = false'));
    await expect(load()).rejects.toThrow('content/posts/sample.md: excerpt: ');
  });

  it('is one only where it says so', async () => {
    await copy.write('posts/sample.md', samplePost('draft = "yes"'));
    await expect(load()).rejects.toThrow('content/posts/sample.md: draft: ');
  });
});

it('a post cannot have been changed before it was written', async () => {
  await copy.write('posts/sample.md', samplePost('updated = 2031-05-16'));
  await expect(load()).rejects.toThrow(
    'content/posts/sample.md: updated: must not be before the date of the post',
  );
  await copy.write('posts/sample.md', samplePost('updated = 2031-05-18'));
  expect((await load()).content.posts[0]).toMatchObject({
    date: '2031-05-17',
    updated: '2031-05-18',
  });
});

it('a category is written one way', async () => {
  const post = (name: string) => samplePost().replace('"Samples"', `"${name}"`);
  await copy.write('posts/a-sample.md', post('How to'));
  await copy.write('posts/b-sample.md', post('How-to'));
  await copy.write('posts/c-sample.md', post('見出し'));
  await expect(load()).rejects.toThrow(
    'content/posts/b-sample.md: categories.0: is How to in another post: write it the same way\n' +
      'content/posts/business-automation-basics.md: categories.1: is How to in another post: write it the same way\n' +
      'content/posts/c-sample.md: categories.0: has no letter or digit that can stand in an address',
  );
});

it.each([
  [0, 1],
  [100, 1],
  [230, 1],
  [345, 2],
  [1150, 5],
])('%s words are read in %s minutes', (words, minutes) => {
  expect(readingMinutes(`<p class="some words">${'<b>word</b> '.repeat(words)}</p>`)).toBe(minutes);
});
