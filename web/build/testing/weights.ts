/** What a built site weighs on the wire, in bytes of brotli. */
import { dirname, join } from 'node:path/posix';
import { brotliCompressSync } from 'node:zlib';
import { type Packed, text } from '../pack.ts';

export class Weights {
  readonly files: Packed[];

  constructor(files: Packed[]) {
    this.files = files;
  }

  get pages(): Packed[] {
    return this.files.filter(({ kind }) => kind === 'page' || kind === 'template');
  }

  /** As it is sent; what the server fills in first is compressed only then. */
  of({ bodies, kind }: Packed): number {
    const brotli = bodies.find(({ encoding }) => encoding === 'br');
    if (brotli) return brotli.bytes.length;
    const plain = bodies[0]?.bytes ?? Buffer.of();
    return kind === 'template' ? brotliCompressSync(plain).length : plain.length;
  }

  /** The script that stands in the page. */
  inline(page: Packed): number {
    return brotliCompressSync(/<script data-entry.*?<\/script>/s.exec(text(page))?.[0] ?? '')
      .length;
  }

  /** Every script the page asks for by itself, with all that it needs to start. */
  scripts(page: Packed): Packed[] {
    const entry = /data-entry="([^"]*)"/.exec(text(page))?.[1];
    return entry ? this.withImports([entry]) : [];
  }

  /** The scripts whose names begin so, and all that they import. */
  scriptsOf(...names: string[]): Packed[] {
    const begins = names.map((name) => `/assets/${name}-`);
    const named = this.files.filter(
      ({ path }) => path.endsWith('.js') && begins.some((begin) => path.startsWith(begin)),
    );
    if (named.length !== names.length) throw new Error(`not all there: ${names}`);
    return this.withImports(named.map(({ path }) => path));
  }

  withImports(paths: string[]): Packed[] {
    const found = new Map<string, Packed>();
    const visit = (path: string) => {
      if (found.has(path)) return;
      const entry = this.#entry(path);
      found.set(path, entry);
      for (const imported of staticImports(text(entry))) visit(join(dirname(path), imported));
    };
    paths.forEach(visit);
    return [...found.values()];
  }

  #entry(path: string): Packed {
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
