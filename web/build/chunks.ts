/** Which built files a page needs, read from Vite's manifest. */
import type { Manifest } from 'vite';

export class Chunks {
  readonly #manifest: Manifest;

  constructor(manifest: Manifest) {
    this.#manifest = manifest;
  }

  /** The entry first, then the page: the order their rules must stand in. */
  scripts(page: string): string[] {
    return this.#roots(page).map((key) => `/${this.#chunk(key).file}`);
  }

  styles(page: string): string[] {
    const styles = new Set<string>();
    const visited = new Set<string>();
    const visit = (key: string) => {
      if (visited.has(key)) return;
      visited.add(key);
      const chunk = this.#chunk(key);
      for (const imported of chunk.imports ?? []) visit(imported);
      for (const css of chunk.css ?? []) styles.add(`/${css}`);
    };
    this.#roots(page).forEach(visit);
    return [...styles];
  }

  #roots(page: string): string[] {
    return ['src/entry-client.tsx', `src/pages/${page}/page.tsx`];
  }

  #chunk(key: string) {
    const chunk = this.#manifest[key];
    if (!chunk) throw new Error(`${key} is not among the built files`);
    return chunk;
  }
}
