/** Which built files a page needs, read from Vite's manifest. */
import type { Manifest, ManifestChunk } from 'vite';

export class Chunks {
  readonly #manifest: Manifest;

  constructor(manifest: Manifest) {
    this.#manifest = manifest;
  }

  /** All it starts with, so that none is asked for only when another has come. */
  scripts(page: string): string[] {
    return this.#needed(page).map(({ file }) => `/${file}`);
  }

  styles(page: string): string[] {
    const styles = this.#needed(page).flatMap(({ css = [] }) => css.map((file) => `/${file}`));
    return [...new Set(styles)];
  }

  /** The entry first, then the page, what each imports before it: the order their rules must stand in. */
  #needed(page: string): ManifestChunk[] {
    const needed = new Map<string, ManifestChunk>();
    const visited = new Set<string>();
    const visit = (key: string) => {
      if (visited.has(key)) return;
      visited.add(key);
      const chunk = this.#chunk(key);
      for (const imported of chunk.imports ?? []) visit(imported);
      needed.set(key, chunk);
    };
    ['src/entry-client.tsx', `src/pages/${page}/page.tsx`].forEach(visit);
    return [...needed.values()];
  }

  #chunk(key: string) {
    const chunk = this.#manifest[key];
    if (!chunk) throw new Error(`${key} is not among the built files`);
    return chunk;
  }
}
