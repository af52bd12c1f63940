/**
 * Stores the results of slow build steps, so that a build repeats only those whose inputs have changed.
 *
 * A result is stored under the hash of everything it depends on: the step, its inputs, the code of the build and the
 * installed packages. So no result can be out of date. The folder can be deleted at any time; a result that no build
 * has used for a month is deleted.
 */
import { createHash, randomUUID } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { paths } from './paths.ts';

export type Input = string | Buffer;

const month = 30 * 24 * 60 * 60 * 1000;

/** `codeHash` is the hash of the code behind every step. */
export const cacheIn = (folder: string, codeHash: string) => ({
  /** Returns the earlier result of `make` for the same inputs, or makes it: plain data and buffers. */
  async getOrMake<T>(step: string, inputs: Input[], make: () => T | Promise<T>): Promise<T> {
    const file = join(folder, digest([codeHash, step, ...inputs]));
    const known = await readFile(file).catch(() => undefined);
    if (known) {
      await utimes(file, new Date(), new Date()).catch(() => {});
      return deserialize(known);
    }
    const made = await make();
    await mkdir(folder, { recursive: true });
    // Other builds read the same folder: renaming makes the file appear complete.
    const temporary = `${file}.${randomUUID()}`;
    await writeFile(temporary, serialize(made));
    await rename(temporary, file);
    return made;
  },

  async trim(now = Date.now()) {
    for (const name of await readdir(folder).catch(() => [])) {
      const file = join(folder, name);
      const found = await stat(file).catch(() => undefined);
      if (found && found.mtimeMs < now - month) await rm(file, { force: true });
    }
  },
});

/** Includes the lengths: otherwise the end of one input could pass for the start of the next. */
function digest(inputs: Input[]): string {
  const hash = createHash('sha256');
  for (const input of inputs) hash.update(`${Buffer.byteLength(input)}:`).update(input);
  return hash.digest('hex');
}

/** The code of the build, and the packages and the Node it runs on. */
function hashCode(): string {
  const cwd = import.meta.dirname;
  const sources = globSync('**/*.{ts,svg}', { cwd, exclude: ['**/*.test.ts', 'testing'] });
  const files = sources.sort().flatMap((name) => [name, readFileSync(join(cwd, name))]);
  const packages = readFileSync(join(paths.web, 'node_modules/.package-lock.json'));
  return digest([...files, packages, process.version, process.arch]);
}

export const cache = cacheIn(join(paths.cache, 'kept'), hashCode());
