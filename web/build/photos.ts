/**
 * The photos that files of `content/` name: found beside the file, checked, and made ready to send: upright, without the
 * camera's data (place and time), in several widths as AVIF and WebP, and once as JPEG or PNG for every browser.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, normalize } from 'node:path/posix';
import type { Sharp } from 'sharp';
import type { PictureFile } from '../src/content/types.ts';
import { cache } from './cache.ts';
import { addressPart, hashedUrl } from './dist.ts';

export type Photo = { picture: PictureFile; files: [path: string, data: Buffer][] };

/** What is wrong with a photo, in words for the owner. */
export class PhotoError extends Error {}

const limits = { bytes: 25_000_000, pixels: 100_000_000 };

/** Twice the width of a post's picture; a higher photo would be larger than any screen. */
const largest = { width: 1920, height: 3840 };
const smallerWidths = [480, 800, 1200];
/** For old browsers, which know neither AVIF nor WebP. */
const widestFallback = 1200;

/** The lowest without a visible loss. */
const qualities = {
  avif: { quality: 52, effort: 3 },
  webp: { quality: 76, effort: 4 },
  jpeg: { quality: 78, mozjpeg: true },
  png: { compressionLevel: 9 },
} as const;

const kinds = 'a JPEG, PNG, WebP or AVIF';

export class ContentPhotos {
  readonly files = new Map<string, Buffer>();
  readonly used = new Set<string>();
  readonly #contentDir: string;

  constructor(contentDir: string) {
    this.#contentDir = contentDir;
  }

  /** Returns the photo that `file` names, or what is wrong with it. */
  async find(file: string, name: string, leastWidth = 1): Promise<PictureFile | string> {
    try {
      const path = await this.#locate(file, name);
      this.used.add(path);
      const { picture, files } = await buildPhoto(join(this.#contentDir, path));
      if (picture.width < leastWidth) {
        const width = `is ${picture.width} pixels wide, too small to be sharp here`;
        throw new PhotoError(`${width}: use one of ${leastWidth} or more`);
      }
      for (const [address, data] of files) this.files.set(address, data);
      return picture;
    } catch (error) {
      if (!(error instanceof PhotoError)) throw error;
      return `the picture ${name} ${error.message}`;
    }
  }

  /** Notes that a draft uses these photos. */
  markUsed(file: string, names: string[]) {
    for (const name of names) this.used.add(photoPath(file, name));
  }

  async #locate(file: string, name: string): Promise<string> {
    if (/^(https?:)?\/\//i.test(name)) {
      const blocked = 'is on another host, which the site’s policy blocks';
      throw new PhotoError(`${blocked}: save it beside this file and write its name`);
    }
    const path = photoPath(file, name);
    if (/^[a-z]+:|^\//i.test(name) || path.startsWith('../')) {
      throw new PhotoError('must be the name of a file beside this one');
    }
    const there = await readdir(join(this.#contentDir, dirname(path))).catch((): string[] => []);
    if (there.includes(basename(path))) return path;
    const alike = there.find((other) => other.toLowerCase() === basename(path).toLowerCase());
    const remedy = alike ? `the file is called ${alike}` : 'put it there or correct its name';
    throw new PhotoError(`is not at content/${path}: ${remedy}`);
  }
}

export const photoPath = (file: string, name: string): string =>
  normalize(join(dirname(file), decoded(name)));

/** Addresses in Markdown have no spaces: editors write %20. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

export async function buildPhoto(file: string): Promise<Photo> {
  const entry = await stat(file);
  if (!entry.isFile()) throw new PhotoError('is not a file');
  if (entry.size > limits.bytes) {
    const sizes = `${megabytes(entry.size)} MB, and the limit is ${megabytes(limits.bytes)} MB`;
    throw new PhotoError(`is ${sizes}: export it smaller, 2000 pixels wide is enough`);
  }
  const data = await readFile(file);
  if (isHeic(data))
    throw new PhotoError('is a HEIC photo, which most browsers cannot show: export it as a JPEG');
  const name = addressPart(basename(file, extname(file))) || 'photo';
  return cache.getOrMake('photo', [name, data], () => makeVersions(name, data));
}

async function makeVersions(name: string, data: Buffer): Promise<Photo> {
  const { default: sharp } = await import('sharp');
  await check(sharp(data, { limitInputPixels: false }));
  // Decoded once, and only as large as needed.
  const upright = sharp(data, { failOn: 'error' }).autoOrient();
  const fit = { ...largest, fit: 'inside', withoutEnlargement: true } as const;
  const { data: pixels, info } = await readable(
    upright.resize(fit).toColourspace('srgb').raw().toBuffer({ resolveWithObject: true }),
  );
  const { width, height, channels } = info;
  const whole = () => sharp(pixels, { raw: { width, height, channels } });
  const { isOpaque } = await whole().stats();
  const at = (wide: number) => {
    const image = wide < width ? whole().resize({ width: wide }) : whole();
    return isOpaque ? image.removeAlpha() : image;
  };

  const files: Photo['files'] = [];
  const add = async (image: Sharp, wide: number, kind: keyof typeof qualities) => {
    const made = await image.toFormat(kind, qualities[kind]).toBuffer();
    const path = hashedUrl(`${name}-${wide}`, kind === 'jpeg' ? 'jpg' : kind, made);
    files.push([path, made]);
    return path;
  };
  // A width close to the photo's own would save nothing.
  const widths = [...smallerWidths.filter((wide) => wide < 0.85 * width), width];
  const set = async (kind: 'avif' | 'webp') => {
    const each = widths.map(async (wide) => `${await add(at(wide), wide, kind)} ${wide}w`);
    return { type: `image/${kind}`, srcset: (await Promise.all(each)).join(', ') };
  };
  const plain = Math.min(width, widestFallback);
  const [src, ...sources] = await Promise.all([
    add(at(plain), plain, isOpaque ? 'jpeg' : 'png'),
    set('avif'),
    set('webp'),
  ]);
  return { picture: { src, width, height, sources }, files };
}

async function check(image: Sharp) {
  const { format, width, height } = await readable(image.metadata());
  if (!/^(jpeg|png|webp|heif|avif)$/.test(format)) {
    throw new PhotoError(`is a ${format} file: export it as ${kinds}`);
  }
  if (width * height > limits.pixels) {
    const limit = limits.pixels / 1_000_000;
    throw new PhotoError(
      `is ${width} x ${height}, more than ${limit} million pixels: export it smaller`,
    );
  }
}

/** iPhones save HEIC under any name; the first bytes tell. */
function isHeic(data: Buffer): boolean {
  if (data.toString('latin1', 4, 8) !== 'ftyp') return false;
  const brands = data.toString('latin1', 8, data.readUInt32BE(0));
  return /hei[csmx]|hev[cx]|mif1|msf1/.test(brands) && !/avi[fs]/.test(brands);
}

async function readable<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (cause) {
    throw new PhotoError(`cannot be read as ${kinds}: export it again`, { cause });
  }
}

const megabytes = (bytes: number) => Math.ceil(bytes / 1_000_000);
