/** The photos that files of `content/` name: found beside the file, checked, and made ready to send. */
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, normalize } from 'node:path/posix';
import type { PictureFile } from '../src/content/types.ts';
import { buildPhoto, PhotoError } from './photos.ts';

type Complain = (file: string, field: string, message: string) => void;

/** A photo in a field fills a column of the page; a logo and a portrait stand small beside others. */
const leastWidthOf = (field: string) => (/^(logos|team)\./.test(field) ? 320 : 640);

export class PhotosBeside {
  /** Address to bytes. */
  readonly files = new Map<string, Buffer>();
  /** By their paths in `content/`. */
  readonly pictures: Record<string, PictureFile> = {};
  /** The paths of all that were found. */
  readonly found = new Set<string>();
  readonly #contentDir: string;
  readonly #complain: Complain;
  readonly #underWay: Promise<unknown>[] = [];

  constructor(contentDir: string, complain: Complain) {
    this.#contentDir = contentDir;
    this.#complain = complain;
  }

  /** Of a field, made while the rest is read; returns its path. */
  ofField(file: string, field: string, name: string): string {
    this.#underWay.push(this.#ready(file, field, name, leastWidthOf(field)));
    return photoPath(file, name);
  }

  /** Of a text: `alt` is what stands there for whoever does not see it. */
  ofText(file: string, name: string, alt: string): Promise<PictureFile | undefined> {
    if (file.startsWith('legal/')) this.#complain(file, 'body', 'a legal text shows no pictures');
    if (!alt.trim()) {
      const remedy = `write ![what it shows](${name}) for whoever does not see it`;
      this.#complain(file, 'body', `the picture ${name} has no words: ${remedy}`);
    }
    return this.#ready(file, 'body', name);
  }

  /** Of a text that is not shown yet: they are nobody else's, and wait with it. */
  leave(file: string, names: string[]) {
    for (const name of names) this.found.add(photoPath(file, name));
  }

  /** Once all photos of fields are ready. */
  async finish() {
    await Promise.all(this.#underWay);
  }

  async #ready(file: string, field: string, name: string, leastWidth = 1) {
    try {
      const path = await this.#find(file, name);
      this.found.add(path);
      const { picture, files } = await buildPhoto(join(this.#contentDir, path));
      if (picture.width < leastWidth) {
        const width = `is ${picture.width} pixels wide, too little to be sharp here`;
        throw new PhotoError(`${width}: take one of ${leastWidth} or more`);
      }
      for (const [address, data] of files) this.files.set(address, data);
      this.pictures[path] = picture;
      return picture;
    } catch (error) {
      if (!(error instanceof PhotoError)) throw error;
      this.#complain(file, field, `the picture ${name} ${error.message}`);
      return undefined;
    }
  }

  async #find(file: string, name: string): Promise<string> {
    if (/^(https?:)?\/\//i.test(name)) {
      const blocked = 'is on another host, which the site’s policy blocks';
      throw new PhotoError(`${blocked}: save it beside this file, and write its name`);
    }
    const path = photoPath(file, name);
    if (/^[a-z]+:|^\//i.test(name) || path.startsWith('../')) {
      throw new PhotoError('must be the name of a file beside this one');
    }
    const there = await readdir(join(this.#contentDir, dirname(path))).catch((): string[] => []);
    if (there.includes(basename(path))) return path;
    const alike = there.find((other) => other.toLowerCase() === basename(path).toLowerCase());
    const remedy = alike ? `the file is called ${alike}` : 'put it there, or correct its name';
    throw new PhotoError(`is not at content/${path}: ${remedy}`);
  }
}

/** The path in `content/` of what a file there names. */
export const photoPath = (file: string, name: string): string =>
  normalize(join(dirname(file), decoded(name)));

/** Markdown has no spaces in an address: editors write %20. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
