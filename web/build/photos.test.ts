import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPhoto, type Photo } from './photos.ts';
import { phonePhoto } from './testing/photo.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'photos-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function build(name: string, data: Buffer): Promise<Photo> {
  const file = join(folder, name);
  await writeFile(file, data);
  return buildPhoto(file);
}

const drawn = (width: number, height: number, background: string) =>
  sharp({ create: { width, height, channels: 4, background } });

const widthsOf = ({ picture }: Photo) =>
  picture.sources?.map(({ srcset }) => [...srcset.matchAll(/ (\d+)w/g)].map(([, w]) => Number(w)));

describe('a photo from a phone', () => {
  let photo: Photo;
  beforeAll(async () => {
    photo = await build('IMG 2041.JPG', await phonePhoto({ orientation: 6 }));
  });

  it('stands upright', async () => {
    expect(photo.picture).toMatchObject({ width: 1200, height: 1600 });
    const [, plain] = photo.files.find(([path]) => path.endsWith('.jpg')) ?? [];
    const { dominant } = await sharp(plain)
      .extract({ left: 0, top: 0, width: 9, height: 9 })
      .stats();
    // Its left side is its top now.
    expect(dominant.r).toBeGreaterThan(150);
    expect(dominant.b).toBeLessThan(100);
  });

  it('comes as AVIF, as WebP and once as JPEG, in the widths that screens ask for', async () => {
    expect(photo.picture.sources?.map(({ type }) => type)).toEqual(['image/avif', 'image/webp']);
    expect(widthsOf(photo)).toEqual([
      [480, 800, 1200],
      [480, 800, 1200],
    ]);
    expect(photo.files).toHaveLength(7);
    const kinds = { avif: 'heif', webp: 'webp', jpg: 'jpeg' };
    for (const [path, data] of photo.files) {
      const [, width, kind] = /^\/assets\/img-2041-(\d+)-[\w-]{8}\.(\w+)$/.exec(path) ?? [];
      const { format, width: real, height } = await sharp(data).metadata();
      expect(format, path).toBe(kinds[kind as keyof typeof kinds]);
      expect(String(real), path).toBe(width);
      expect(height / real, path).toBeCloseTo(4 / 3, 1);
    }
  });

  it('says nothing of where, when and with what it was taken', async () => {
    for (const [path, data] of photo.files) {
      const { exif, xmp, iptc, orientation } = await sharp(data).metadata();
      expect([exif, xmp, iptc, orientation], path).toEqual([
        undefined,
        undefined,
        undefined,
        undefined,
      ]);
      expect(data.includes('A phone'), path).toBe(false);
    }
  });
});

it('what can be seen through stays so', async () => {
  const photo = await build('logo.png', await drawn(300, 200, '#00ff0080').png().toBuffer());
  expect(photo.picture.src).toMatch(/\.png$/);
  for (const [path, data] of photo.files)
    expect((await sharp(data).metadata()).hasAlpha, path).toBe(true);
});

it.each([
  ['png', 'sharp.png'],
  ['webp', 'sharp.webp'],
  ['avif', 'sharp.avif'],
] as const)('%s is taken, and never made larger', async (kind, name) => {
  const photo = await build(name, await drawn(700, 350, '#204060').toFormat(kind).toBuffer());
  expect(photo.picture).toMatchObject({ width: 700, height: 350 });
  expect(photo.picture.src).toMatch(/\.jpg$/);
  expect(widthsOf(photo)?.[0]).toEqual([480, 700]);
});

it('a wide one is no wider than a screen shows it, a tall one no higher', async () => {
  const wide = await build('wide.png', await drawn(4000, 300, '#204060').png().toBuffer());
  expect(wide.picture).toMatchObject({ width: 1920, height: 144 });
  const tall = await build('tall.png', await drawn(600, 8000, '#204060').png().toBuffer());
  expect(tall.picture).toMatchObject({ width: 288, height: 3840 });
});

describe('refused with the remedy is', () => {
  it('what is no picture', async () => {
    await expect(build('a.jpg', Buffer.from('<html>'))).rejects.toThrow(
      'cannot be read as a JPEG, PNG, WebP or AVIF: export it anew',
    );
  });

  it('what was cut short', async () => {
    const whole = await phonePhoto();
    await expect(build('b.jpg', whole.subarray(0, whole.length / 2))).rejects.toThrow(
      'export it anew',
    );
  });

  it('another kind, whatever its name says', async () => {
    const gif = await drawn(20, 20, '#204060').gif().toBuffer();
    await expect(build('c.jpg', gif)).rejects.toThrow(
      'is of the kind gif: export it as a JPEG, PNG, WebP or AVIF',
    );
  });

  it('too many bytes', async () => {
    const file = join(folder, 'd.jpg');
    await writeFile(file, '');
    await truncate(file, 25_000_001);
    await expect(buildPhoto(file)).rejects.toThrow(
      'has 26 MB, and 25 MB is the most: export it smaller',
    );
  });

  it('too many pixels, before they are read', async () => {
    const small = await phonePhoto({ width: 64, height: 64 });
    const size = small.indexOf(Buffer.from([0xff, 0xc0])) + 5;
    small.writeUInt16BE(12_000, size);
    small.writeUInt16BE(10_000, size + 2);
    await expect(build('e.jpg', small)).rejects.toThrow(
      'is 10000 x 12000, more than 100 million pixels: export it smaller',
    );
  });
});
