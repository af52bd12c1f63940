/**
 * Writes what the server embeds: each file, its compressed forms, and the
 * manifest that says how to serve it.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { cache } from './cache.ts';
import { inParallel } from './in-parallel.ts';

/** How a file is served: see `src/http/site/pages.rs`. */
export type Entry = {
  path: string;
  file: string;
  type: string;
  kind: 'page' | 'asset' | 'document' | 'template';
  status?: number;
  encodings: string[];
  scriptHashes?: string[];
  styleHashes?: string[];
  preload?: string[];
};

/** A file to serve: how, its bytes, and where it lies unless its path says so. */
export type Addition = [
  entry: Pick<Entry, 'path' | 'kind'> & Partial<Entry>,
  data: Buffer | string,
  file?: string,
];

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.xml': 'application/xml; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
};

const compressible = /^(text\/|application\/(xml|atom|manifest)|image\/svg)/;

export class Dist {
  readonly #dir: string;
  readonly #entries: Entry[] = [];

  constructor(dir: string) {
    this.#dir = dir;
  }

  get paths(): Set<string> {
    return new Set(this.#entries.map((entry) => entry.path));
  }

  async addAll(additions: Addition[]) {
    await inParallel(additions, (addition) => this.#add(...addition));
  }

  async #add(...[entry, data, file = entry.path.slice(1)]: Addition) {
    const bytes = Buffer.from(data);
    const type = entry.type ?? types[extname(file)];
    if (!type) throw new Error(`${file}: the type of this file is not known`);
    const target = join(this.#dir, file);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, bytes);

    const encodings: string[] = [];
    if (compressible.test(type)) {
      for (const { name, ending, compress } of compressors) {
        const small = await compress(bytes);
        if (small.length >= bytes.length) continue;
        await writeFile(target + ending, small);
        encodings.push(name);
      }
    }
    this.#entries.push({ ...entry, file, type, encodings });
  }

  async finish() {
    const files = this.#entries.toSorted((a, b) => a.path.localeCompare(b.path));
    await writeFile(join(this.#dir, 'manifest.json'), `${JSON.stringify({ files }, null, 1)}\n`);
  }
}

const compressors = [
  {
    name: 'br',
    ending: '.br',
    compress: (data: Buffer) =>
      cache.kept('brotli', [data], () =>
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
    name: 'gzip',
    ending: '.gz',
    compress: (data: Buffer) => promisify(gzip)(data, { level: 9 }) as Promise<Buffer>,
  },
];
