/** The files of the site as they are served: their types, compressed forms and addresses. */
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { cache } from './cache.ts';
import type { Body, Entry, Packed } from './pack.ts';

/** A file to serve: its bytes, and how, unless it's a document of the type that its path says. */
export type Addition = Pick<Entry, 'path'> & Partial<Entry> & { data: Buffer | string };

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

/** A site with more files is compressed with less effort: a tenth larger, in a thirtieth of the time. */
const manyFiles = 1000;

const compressible = /^(text\/|application\/(xml|atom|manifest)|image\/svg)/;

/** Sorted by path. */
export async function compressFiles(additions: Addition[]): Promise<Packed[]> {
  const quality = additions.length > manyFiles ? 6 : 11;
  const files: Packed[] = [];
  await inParallel(additions, async ({ data, kind = 'document', ...entry }) => {
    const isPage = kind === 'page' || kind === 'template';
    const type = entry.type ?? types[isPage ? '.html' : extname(entry.path)];
    if (!type) throw new Error(`${entry.path}: the type of this file is not known`);
    const bytes = Buffer.from(data);
    const bodies: Body[] = [{ encoding: 'identity', bytes }];
    if (compressible.test(type)) {
      const packed: Body[] = [
        { encoding: 'br', bytes: await brotli(bytes, quality) },
        { encoding: 'gzip', bytes: await promisify(gzip)(bytes, { level: 9 }) },
      ];
      bodies.push(...packed.filter((body) => body.bytes.length < bytes.length));
    }
    files.push({ status: 200, scriptHashes: [], styleHashes: [], ...entry, kind, type, bodies });
  });
  return files.sort((a, b) => a.path.localeCompare(b.path));
}

const brotli = (data: Buffer, quality: number) =>
  cache.getOrMake('brotli', [data, String(quality)], () =>
    promisify(brotliCompress)(data, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: quality,
        [constants.BROTLI_PARAM_SIZE_HINT]: data.length,
      },
    }),
  );

export function hashedUrl(name: string, extension: string, data: Buffer | string): string {
  const hash = createHash('sha256').update(data).digest('base64url').slice(0, 8);
  return `/assets/${name}-${hash}.${extension}`;
}

/** A name as part of a URL: lower-case letters and digits, with hyphens between them. */
export const addressPart = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

/** As many at once as there are processors. */
export async function inParallel<T>(items: Iterable<T>, work: (item: T) => Promise<void>) {
  const rest = items[Symbol.iterator]();
  const lane = async () => {
    for (let next = rest.next(); !next.done; next = rest.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
}
