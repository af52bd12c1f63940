/** Gathers what the site serves, and compresses it. */
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { cache } from './cache.ts';
import { inParallel } from './in-parallel.ts';
import type { Body, Entry, Packed } from './pack.ts';

/** A file to serve: how, and its bytes. Its type follows from its path unless it is said. */
export type Addition = [
  entry: Pick<Entry, 'path' | 'kind'> & Partial<Entry>,
  data: Buffer | string,
];

/** By the ending of the path. */
export const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.xml': 'application/xml; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
};

const compressible = /^(text\/|application\/(xml|atom|manifest)|image\/svg)/;

export class Dist {
  readonly #files: Packed[] = [];

  get paths(): Set<string> {
    return new Set(this.#files.map(({ path }) => path));
  }

  async addAll(additions: Addition[]) {
    await inParallel(additions, (addition) => this.#add(...addition));
  }

  async #add(...[entry, data]: Addition) {
    const isPage = entry.kind === 'page' || entry.kind === 'template';
    const type = entry.type ?? types[isPage ? '.html' : extname(entry.path)];
    if (!type) throw new Error(`${entry.path}: the type of this file is not known`);
    const bytes = Buffer.from(data);
    const bodies: Body[] = [{ encoding: 'identity', bytes }];
    for (const { encoding, compress } of compressible.test(type) ? compressors : []) {
      const small = await compress(bytes);
      if (small.length < bytes.length) bodies.push({ encoding, bytes: small });
    }
    const plain = { status: 200, scriptHashes: [], styleHashes: [] };
    this.#files.push({ ...plain, ...entry, type, bodies });
  }

  /** In the order of their paths. */
  get files(): Packed[] {
    return this.#files.toSorted((a, b) => a.path.localeCompare(b.path));
  }
}

const compressors = [
  {
    encoding: 'br' as const,
    compress: (data: Buffer) =>
      cache.getOrMake('brotli', [data], () =>
        promisify(brotliCompress)(data, {
          params: {
            [constants.BROTLI_PARAM_QUALITY]: 11,
            [constants.BROTLI_PARAM_LGWIN]: 22,
            [constants.BROTLI_PARAM_SIZE_HINT]: data.length,
          },
        }),
      ),
  },
  {
    encoding: 'gzip' as const,
    compress: (data: Buffer) => promisify(gzip)(data, { level: 9 }) as Promise<Buffer>,
  },
];
