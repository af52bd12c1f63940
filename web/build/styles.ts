/**
 * Which rules a page needs, read from Vite's manifest: those of the frame that
 * every page shares, and the page's own, which a client navigation exchanges.
 */
import type { Manifest } from 'vite';

export class Styles {
  static readonly frame = 'src/app.tsx';
  static readonly page = (name: string) => `src/pages/${name}/page.tsx`;

  readonly #manifest: Manifest;
  readonly #css: Map<string, string>;

  constructor(manifest: Manifest, css: Map<string, string>) {
    this.#manifest = manifest;
    this.#css = css;
  }

  get frame(): string {
    return this.#text(this.#needed(Styles.frame));
  }

  own(page: string): string {
    const frame = this.#needed(Styles.frame);
    const needed = this.#needed(Styles.page(page));
    return this.#text(needed.filter((file) => !frame.includes(file)));
  }

  /** What is imported before what imports it: the order the rules must stand in. */
  #needed(entry: string): string[] {
    const files = new Set<string>();
    const visited = new Set<string>();
    const visit = (key: string) => {
      if (visited.has(key)) return;
      visited.add(key);
      const chunk = this.#manifest[key];
      if (!chunk) throw new Error(`${key} is not among the built files`);
      for (const imported of chunk.imports ?? []) visit(imported);
      for (const file of chunk.css ?? []) files.add(file);
    };
    visit(entry);
    return [...files];
  }

  #text = (files: string[]) => files.map((file) => this.#css.get(file) ?? '').join('');
}
