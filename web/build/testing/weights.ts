/** What a built site weighs on the wire, in bytes of brotli. */
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { brotliCompressSync } from 'node:zlib';
import type { Entry } from '../dist.ts';

export class Weights {
  readonly #dist: string;
  readonly files: Entry[];

  constructor(dist: string) {
    this.#dist = dist;
    this.files = JSON.parse(readFileSync(join(dist, 'manifest.json'), 'utf8')).files;
  }

  get pages(): Entry[] {
    return this.files.filter(({ kind }) => kind === 'page' || kind === 'template');
  }

  /** As it is sent; what the server fills in first is compressed only then. */
  of({ file, encodings, kind }: Entry): number {
    const path = join(this.#dist, file);
    if (encodings.includes('br')) return statSync(`${path}.br`).size;
    return kind === 'template'
      ? brotliCompressSync(readFileSync(path)).length
      : statSync(path).size;
  }

  /** Every script the page asks for by itself, with all that those need to start. */
  scripts(page: Entry): Entry[] {
    const named = /data-modules="([^"]*)"/.exec(this.#text(page))?.[1] ?? '';
    const found = new Map<string, Entry>();
    const visit = (path: string) => {
      if (found.has(path)) return;
      const entry = this.#entry(path);
      found.set(path, entry);
      for (const imported of staticImports(this.#text(entry))) visit(join(dirname(path), imported));
    };
    named.split(' ').filter(Boolean).forEach(visit);
    return [...found.values()];
  }

  #text = ({ file }: Entry) => readFileSync(join(this.#dist, file), 'utf8');

  #entry(path: string): Entry {
    const entry = this.files.find((candidate) => candidate.path === path);
    if (!entry) throw new Error(`${path} is not among the built files`);
    return entry;
  }
}

/** `import … from "./x.js"` and `export … from "./x.js"`, but not `import("./x.js")`. */
function staticImports(code: string): string[] {
  const statements =
    /\b(?:import|export)\s*(?:[\w$*{][^"'`();]*?\bfrom\s*)?["'](\.{1,2}\/[^"']+)["']/g;
  return [...code.matchAll(statements)].map((match) => match[1] ?? '');
}
