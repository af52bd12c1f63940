/**
 * Keeps what took long to make, so that a build makes again only what changed.
 *
 * A result lies under the hash of all it comes from: the step, its inputs, the code of the build and
 * the packages installed. Whatever changes leads to another file, so none can be out of date. The
 * folder can be deleted at any time, and what no build asks for any more leaves it by itself.
 */
import { createHash, randomUUID } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { paths } from './paths.ts';

/** What a result is made from. */
export type Input = string | Buffer;

/** A build of the sample content keeps about three megabytes. */
const roomForOlder = 30_000_000;

export class Cache {
  readonly #folder: string;
  readonly #maker: string;
  readonly #limit: number;
  readonly #asked = new Map<string, Promise<unknown>>();

  /** `maker` stands for the code behind every step. */
  constructor(folder: string, maker: string, limit = roomForOlder) {
    this.#folder = folder;
    this.#maker = maker;
    this.#limit = limit;
  }

  /** What `make` made from the same inputs before, or makes now: plain data and buffers. */
  async kept<T>(step: string, inputs: Input[], make: () => T | Promise<T>): Promise<T> {
    const key = digest([this.#maker, step, ...inputs]).toString('hex');
    const asked = this.#asked.get(key) ?? this.#find(join(this.#folder, key), make);
    this.#asked.set(key, asked);
    return asked as Promise<T>;
  }

  async #find<T>(file: string, make: () => T | Promise<T>): Promise<T> {
    const known = await read(file);
    if (known) {
      await utimes(file, new Date(), new Date()).catch(gone);
      return deserialize(known);
    }
    const made = await make();
    const data = serialize(made);
    await mkdir(this.#folder, { recursive: true });
    // Whole or not at all: other builds read the same folder.
    const draft = `${file}.${randomUUID()}`;
    await writeFile(draft, Buffer.concat([digest([data]), data]));
    await rename(draft, file);
    return made;
  }

  /** Keeps all that was asked for, and of what else there is the newest, up to the limit. */
  async trim() {
    const names = (await readdir(this.#folder).catch(gone)) ?? [];
    const older = await Promise.all(
      names
        .filter((name) => !this.#asked.has(name))
        .map((name) => join(this.#folder, name))
        .map(async (file) => ({ file, size: 0, mtimeMs: 0, ...(await stat(file).catch(gone)) })),
    );
    let room = this.#limit;
    for (const { file, size } of older.toSorted((a, b) => b.mtimeMs - a.mtimeMs)) {
      room -= size;
      if (room < 0) await rm(file, { force: true });
    }
  }
}

/** Another build, or somebody who wanted the room, was quicker. */
const gone = () => undefined;

/** The result in a file; a file that is missing or damaged has none. */
async function read(file: string): Promise<Buffer | undefined> {
  const whole = await readFile(file).catch(gone);
  const data = whole?.subarray(32);
  return whole && data && digest([data]).equals(whole.subarray(0, 32)) ? data : undefined;
}

/** Lengths go in, too: else the end of one input could pass for the start of the next. */
function digest(inputs: Input[]): Buffer {
  const hash = createHash('sha256');
  for (const input of inputs) hash.update(`${Buffer.byteLength(input)}:`).update(input);
  return hash.digest();
}

/** The code of the build, and the packages and the Node it runs on. */
export function makerOf(build: string, packages: string): string {
  const sources = globSync('**/*.ts', { cwd: build, exclude: ['**/*.test.ts', 'testing'] });
  const files = sources.sort().flatMap((name) => [name, readFileSync(join(build, name))]);
  return digest([...files, readFileSync(packages), process.version, process.arch]).toString('hex');
}

export const cache = new Cache(
  join(paths.cache, 'kept'),
  makerOf(import.meta.dirname, join(paths.web, 'node_modules/.package-lock.json')),
);
