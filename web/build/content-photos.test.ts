/** Photos in content, and what is said of those that cannot be shown. */
import { describe, expect, it } from 'vitest';
import { samplePost } from './testing/content-copy.ts';
import { copyForEachTest } from './testing/copy-for-each-test.ts';
import { phonePhoto } from './testing/photo.ts';

const copy = copyForEachTest();

const mistakes = async () =>
  (await copy.mistakes()).map((line) => line.replace('content/posts/sample.md: ', ''));
const small = () => phonePhoto({ width: 800, height: 600 });
const field = (name: string) => `picture = { file = "${name}", alt = "A shop" }`;

it('stand beside the text, in it and in its field', async () => {
  await copy.write('posts/IMG 2041.JPG', await small());
  const body = '![A shop](IMG%202041.JPG)';
  await copy.write('posts/sample.md', samplePost(field('IMG 2041.JPG'), body));
  const { content, files } = await copy.load();
  const post = content.posts.find(({ slug }) => slug === 'sample');
  const picture = post?.picture;
  expect(picture).toMatchObject({ alt: 'A shop', width: 800, height: 600 });
  expect([...files.keys()]).toContain(picture?.src);
  expect(post?.html).toContain(`<img src="${picture?.src}" width="688" height="516" alt="A shop"`);
  expect(post?.html).toContain(`srcset="${picture?.sources?.[0]?.srcset}"`);
});

it.each([
  ['photo.jpg', 'is not at content/posts/photo.jpg: put it there, or correct its name'],
  ['SHOP.jpg', 'is not at content/posts/SHOP.jpg: the file is called shop.jpg'],
  [
    'https://x.example/a.jpg',
    'is on another host, which the site’s policy blocks: save it beside this file, and write its name',
  ],
  [
    '//x.example/a.jpg',
    'is on another host, which the site’s policy blocks: save it beside this file, and write its name',
  ],
  ['/assets/a.jpg', 'must be the name of a file beside this one'],
  ['data:image/png,x', 'must be the name of a file beside this one'],
  ['../../secret.jpg', 'must be the name of a file beside this one'],
  ['../posts', 'is no file'],
])('the photo %s is refused, in a text and in a field', async (name, message) => {
  await copy.write('posts/shop.jpg', await small());
  const body = `![Shown](shop.jpg)\n\n![Words](${name})`;
  await copy.write('posts/sample.md', samplePost(field(name), body));
  expect(await mistakes()).toEqual([
    `picture.file: the picture ${name} ${message}`,
    `body: the picture ${name} ${message}`,
  ]);
});

it('a photo that nothing shows is a warning', async () => {
  await copy.write('posts/shop.jpg', await small());
  expect(await copy.warnings()).toEqual([
    'content/posts/shop.jpg: file: is not used on any page: use it or delete it',
  ]);
});

describe('a mistake is', () => {
  it('a photo that is broken', async () => {
    await copy.write('posts/shop.jpg', 'no picture');
    await copy.write('posts/sample.md', samplePost(field('shop.jpg')));
    expect(await mistakes()).toEqual([
      'picture.file: the picture shop.jpg cannot be read as a JPEG, PNG, WebP or AVIF: export it anew',
    ]);
  });

  it('a photo without words', async () => {
    await copy.write('posts/shop.jpg', await small());
    await copy.write(
      'posts/sample.md',
      samplePost('picture = { file = "shop.jpg" }', '![ ](shop.jpg)'),
    );
    expect(await mistakes()).toEqual([
      'picture.alt: is missing: say what the picture shows, for whoever does not see it',
      'body: the picture shop.jpg has no words: write ![what it shows](shop.jpg) for whoever does not see it',
    ]);
  });

  it('a photo and a drawing in one place, or neither', async () => {
    await copy.write('posts/shop.jpg', await small());
    const both = 'picture = { name = "about", file = "shop.jpg", alt = "x" }';
    const one = [
      'picture: must have either name (a drawing of web/pictures) or file (a photo beside this file)',
    ];
    await copy.write('posts/sample.md', samplePost(both));
    expect(await mistakes()).toEqual(one);
    await copy.write('posts/sample.md', samplePost('picture = { alt = "x" }', '![x](shop.jpg)'));
    expect(await mistakes()).toEqual(one);
  });

  it('a photo in a field that is too narrow for its place', async () => {
    await copy.write('posts/shop.jpg', await phonePhoto({ width: 400, height: 300 }));
    await copy.write('posts/sample.md', samplePost(field('shop.jpg'), '![x](shop.jpg)'));
    expect(await mistakes()).toEqual([
      'picture.file: the picture shop.jpg is 400 pixels wide, too little to be sharp here: take one of 640 or more',
    ]);
  });

  it('a logo or a portrait that is narrower than its place on a sharp screen, and not before', async () => {
    const section = (name: string) => `\n[${name}]\nkicker = "K"\ntitle = "T"\nlead = "L"\n`;
    const person = `[[team.items]]\nname = "N"\nrole = "R"\n${field('face.jpg')}\n`;
    await copy.write('about.toml', (await copy.read('about.toml')) + section('team') + person);
    await copy.write('face.jpg', await phonePhoto({ width: 300, height: 300 }));
    expect(await mistakes()).toEqual([
      'content/about.toml: team.items.1.picture.file: the picture face.jpg is 300 pixels wide, too little to be sharp here: take one of 320 or more',
    ]);
    await copy.write('face.jpg', await phonePhoto({ width: 320, height: 320 }));
    const { team } = (await copy.load()).content.pages.about;
    expect(team?.items[0]?.picture).toMatchObject({ width: 320 });
  });

  it('a HEIC photo, whatever its name', async () => {
    const start = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1');
    await copy.write('posts/shop.jpg', Buffer.concat([start, Buffer.alloc(1000)]));
    await copy.write('posts/sample.md', samplePost(field('shop.jpg')));
    expect(await mistakes()).toEqual([
      'picture.file: the picture shop.jpg is a HEIC photo, which most browsers cannot show: export it as a JPEG',
    ]);
  });

  it('a photo in a legal text', async () => {
    await copy.write('legal/shop.jpg', await small());
    await copy.change('legal/terms.md', /\n$/, '\n\n![A shop](shop.jpg)\n');
    expect(await mistakes()).toEqual([
      'content/legal/terms.md: body: a legal text shows no pictures',
    ]);
  });

  it('a tag that the site’s policy blocks', async () => {
    const body = '<img src="https://x.example/a.jpg">\n\n<iframe src="https://x.example"></iframe>';
    await copy.write('posts/sample.md', samplePost('', body));
    expect(await mistakes()).toEqual([
      'body: <img> is no way to show a picture here: write ![what it shows](photo.jpg)',
      'body: <iframe> shows nothing here, for the site’s policy blocks it: link to it instead',
    ]);
  });
});
