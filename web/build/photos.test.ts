/** Photos of the content: what is made of them, and what the owner is told of those that can't be shown. */
import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { buildPhoto } from './photos.ts';
import { copyForEachTest, samplePost } from './testing/content-copy.ts';
import { phonePhoto } from './testing/photo.ts';

const copy = copyForEachTest();

async function build(name: string, data: Buffer | Promise<Buffer>) {
  await copy.write(name, await data);
  return buildPhoto(join(copy.content, name));
}

const drawn = (width: number, height: number, background: string) =>
  sharp({ create: { width, height, channels: 4, background } });

const widthsOf = ({ picture }: Awaited<ReturnType<typeof build>>) =>
  picture.sources?.map(({ srcset }) => [...srcset.matchAll(/ (\d+)w/g)].map(([, w]) => Number(w)));

it('a photo from a phone becomes upright, AVIF, WebP and JPEG, in several widths, without its metadata', async () => {
  const { picture, files } = await build('IMG 2041.JPG', phonePhoto({ orientation: 6 }));
  expect(picture).toMatchObject({ width: 1200, height: 1600 });
  expect(picture.sources?.map(({ type }) => type)).toEqual(['image/avif', 'image/webp']);
  expect(widthsOf({ picture, files })).toEqual([
    [480, 800, 1200],
    [480, 800, 1200],
  ]);
  expect(files).toHaveLength(7);
  const kinds = { avif: 'heif', webp: 'webp', jpg: 'jpeg' };
  for (const [path, data] of files) {
    const [, width, kind] = /^\/assets\/img-2041-(\d+)-[\w-]{8}\.(\w+)$/.exec(path) ?? [];
    const { format, width: real, height, exif, xmp, orientation } = await sharp(data).metadata();
    expect(format, path).toBe(kinds[kind as keyof typeof kinds]);
    expect(String(real), path).toBe(width);
    expect(height / real, path).toBeCloseTo(4 / 3, 1);
    expect([exif, xmp, orientation], path).toEqual([undefined, undefined, undefined]);
    expect(data.includes('A phone'), path).toBe(false);
  }
  const [, plain] = files.find(([path]) => path.endsWith('.jpg')) ?? [];
  const corner = sharp(plain).extract({ left: 0, top: 0, width: 9, height: 9 });
  // The left side, which is red, is the top now.
  const { dominant } = await sharp(await corner.toBuffer()).stats();
  expect(dominant.r).toBeGreaterThan(150);
  expect(dominant.b).toBeLessThan(100);
});

it('a transparent photo stays transparent', async () => {
  const photo = await build('logo.png', drawn(300, 200, '#00ff0080').png().toBuffer());
  expect(photo.picture.src).toMatch(/\.png$/);
  for (const [path, data] of photo.files)
    expect((await sharp(data).metadata()).hasAlpha, path).toBe(true);
});

it.each(['png', 'webp', 'avif'] as const)('%s is accepted, and never enlarged', async (kind) => {
  const photo = await build(`sharp.${kind}`, drawn(700, 350, '#204060').toFormat(kind).toBuffer());
  expect(photo.picture).toMatchObject({ width: 700, height: 350 });
  expect(photo.picture.src).toMatch(/\.jpg$/);
  expect(widthsOf(photo)?.[0]).toEqual([480, 700]);
});

it.each([
  [4000, 300, 1920, 144],
  [600, 8000, 288, 3840],
])('a photo of %i x %i is sent as %i x %i', async (...[wide, high, width, height]) => {
  const photo = await build('a.png', drawn(wide, high, '#204060').png().toBuffer());
  expect(photo.picture).toMatchObject({ width, height });
});

const small = () => phonePhoto({ width: 800, height: 600 });
const field = (name: string) => `picture = { file = "${name}", alt = "A shop" }`;
const mistakes = async () =>
  (await copy.mistakes()).map((line) => line.replace('content/posts/sample.md: ', ''));

/** Its header claims more pixels than it has. */
async function withTooManyPixels() {
  const small = await phonePhoto({ width: 64, height: 64 });
  const size = small.indexOf(Buffer.from([0xff, 0xc0])) + 5;
  small.writeUInt16BE(12_000, size);
  small.writeUInt16BE(10_000, size + 2);
  return small;
}

it('a photo that cannot be shown is refused, with what to do, whatever its name says', async () => {
  const heic = `\0\0\0\x18ftypheic\0\0\0\0mif1heic${'\0'.repeat(1000)}`;
  await copy.write('posts/shop.jpg', await small());
  await copy.write('posts/html.jpg', '<html>');
  const whole = await small();
  await copy.write('posts/cut.jpg', whole.subarray(0, whole.length / 2));
  await copy.write('posts/gif.jpg', await drawn(20, 20, '#204060').gif().toBuffer());
  await copy.write('posts/pixels.jpg', await withTooManyPixels());
  await copy.write('posts/heic.jpg', Buffer.from(heic, 'latin1'));
  await copy.write('posts/bytes.jpg', '');
  await truncate(join(copy.content, 'posts/bytes.jpg'), 25_000_001);
  const unreadable = 'cannot be read as a JPEG, PNG, WebP or AVIF: export it again';
  const elsewhere =
    'is on another host, which the site’s policy blocks: save it beside this file and write its name';
  const beside = 'must be the name of a file beside this one';
  const refused = {
    'html.jpg': unreadable,
    'cut.jpg': unreadable,
    'gif.jpg': 'is a gif file: export it as a JPEG, PNG, WebP or AVIF',
    'pixels.jpg': 'is 10000 x 12000, more than 100 million pixels: export it smaller',
    'heic.jpg': 'is a HEIC photo, which most browsers cannot show: export it as a JPEG',
    'bytes.jpg': 'is 26 MB, and the limit is 25 MB: export it smaller, 2000 pixels wide is enough',
    'photo.jpg': 'is not at content/posts/photo.jpg: put it there or correct its name',
    'SHOP.jpg': 'is not at content/posts/SHOP.jpg: the file is called shop.jpg',
    'https://x.example/a.jpg': elsewhere,
    '//x.example/a.jpg': elsewhere,
    '/assets/a.jpg': beside,
    'data:image/png,x': beside,
    '../../secret.jpg': beside,
    '../posts': 'is not a file',
  };
  const body = Object.keys(refused).map((name) => `![Words](${name})`);
  await copy.write('posts/sample.md', samplePost(field('html.jpg'), body.join('\n\n')));
  const told = Object.entries(refused).map(([name, why]) => `body: the picture ${name} ${why}`);
  const all = [...told, `picture.file: the picture html.jpg ${unreadable}`];
  expect((await mistakes()).toSorted()).toEqual(all.toSorted());
});

const either =
  'must have either name (a drawing of web/pictures) or file (a photo beside this file)';

it.each([
  [
    'a photo without a description',
    samplePost('picture = { file = "shop.jpg" }', '![ ](shop.jpg)'),
    'picture.alt: is missing: say what the picture shows, for people who cannot see it',
    'body: the picture shop.jpg has no description: write ![what it shows](shop.jpg) for people who cannot see it',
  ],
  [
    'a photo and a drawing in one place',
    samplePost('picture = { name = "about", file = "shop.jpg", alt = "x" }'),
    `picture: ${either}`,
  ],
  [
    'neither of the two',
    samplePost('picture = { alt = "x" }', '![x](shop.jpg)'),
    `picture: ${either}`,
  ],
  [
    'tags that the site’s policy blocks',
    samplePost('', '![x](shop.jpg)\n\n<img src="/a.jpg">\n\n<iframe src="/a"></iframe>'),
    'body: <img> cannot show a picture here: write ![what it shows](photo.jpg)',
    'body: <iframe> shows nothing here, as the site’s policy blocks it: link to it instead',
  ],
])('%s is a mistake', async (_, post, ...expected) => {
  await copy.write('posts/shop.jpg', await small());
  await copy.write('posts/sample.md', post);
  expect(await mistakes()).toEqual(expected);
});

it('a photo in a field must be wide enough to be sharp', async () => {
  await copy.write('posts/shop.jpg', await phonePhoto({ width: 639, height: 300 }));
  await copy.write('posts/sample.md', samplePost(field('shop.jpg'), '![x](shop.jpg)'));
  expect(await mistakes()).toEqual([
    'picture.file: the picture shop.jpg is 639 pixels wide, too small to be sharp here: use one of 640 or more',
  ]);
  await copy.write('posts/shop.jpg', await phonePhoto({ width: 640, height: 300 }));
  expect((await copy.load()).content.posts[0]?.picture).toMatchObject({ width: 640 });
});

it('a legal text cannot show photos', async () => {
  await copy.write('legal/shop.jpg', await small());
  await copy.change('legal/terms.md', /\n$/, '\n\n![A shop](shop.jpg)\n');
  expect(await mistakes()).toEqual([
    'content/legal/terms.md: body: a legal text cannot show pictures',
  ]);
});
