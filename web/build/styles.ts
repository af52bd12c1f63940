/**
 * The CSS that stands in each page: the shared rules of the frame around every page, and the rules of one kind
 * of page, which a client navigation exchanges. Both are made once, however many posts there are. Rules that no
 * page shows, and tokens that no rule uses, are left out.
 */
import postcss, { type ChildNode, type Container, type Declaration, type Root } from 'postcss';
import type { Manifest } from 'vite';

type Rendered = {
  /** Its kind, by the folder in `src/pages`. */
  page: string;
  html: string;
};

export function pageStyles(
  styles: Pick<Styles, 'frame' | 'own'>,
  rendered: Rendered[],
  scripts: string[],
) {
  const classesShownBy = (pages: Rendered[]) =>
    classesOf(
      pages.map(({ html }) => html),
      scripts,
    );
  const tokens = shareTokens(prune(styles.frame, classesShownBy(rendered)));
  const ownOf = (kind: string) => {
    // The blog shows a post in a window of its own.
    const kinds = kind === 'blog' ? ['blog', 'post'] : [kind];
    const shown = classesShownBy(rendered.filter(({ page }) => kinds.includes(page)));
    return tokens.own(prune(styles.own(kind), shown));
  };
  const kinds = new Set(rendered.map(({ page }) => page));
  return { frame: tokens.frame, own: new Map([...kinds].map((kind) => [kind, ownOf(kind)])) };
}

/** Which rules a page needs, read from Vite's manifest. */
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

/** Whether a class stands in one of the pages, or in a script that may put it there. */
export function classesOf(pages: string[], scripts: string[]): (name: string) => boolean {
  const attributes = pages.flatMap((html) => [...html.matchAll(/ class="([^"]*)"/g)]);
  const shown = new Set(attributes.flatMap(([, names = '']) => names.split(/\s+/)));
  const code = scripts.join('\n');
  return (name) => shown.has(name) || code.includes(name);
}

export function prune(css: string, isUsed: (name: string) => boolean): string {
  const root = postcss.parse(css);
  root.walkRules((rule) => {
    const kept = rule.selectors.filter((selector) => required(selector).every(isUsed));
    if (kept.length === 0) rule.remove();
    else if (kept.length < rule.selectors.length) rule.selectors = kept;
  });
  dropEmpty(root);
  return root.toString();
}

/** The classes without which it matches nothing: what stands in brackets is one of several, or a "not". */
function required(selector: string): string[] {
  let bare = selector.replace(/\[[^\]]*\]/g, '');
  while (/\([^()]*\)/.test(bare)) bare = bare.replace(/\([^()]*\)/g, '');
  return [...bare.matchAll(/\.(-?[_a-z][\w-]*)/gi)].map(([, name = '']) => name);
}

function dropEmpty(container: Container<ChildNode>) {
  for (const node of [...(container.nodes ?? [])]) {
    if (node.type !== 'atrule' || !node.nodes) continue;
    dropEmpty(node as Container<ChildNode>);
    if (node.nodes.length === 0) node.remove();
  }
}

type Shared = {
  /** The frame, with the tokens that every page has. */
  frame: string;
  /** A page's own rules, with the tokens that the frame lacks. */
  own: (rules: string) => string;
};

export function shareTokens(css: string): Shared {
  const frame = postcss.parse(css);
  const tokens = tokensOf(frame);
  const neededBy = (rules: string): Set<string> => {
    const names = new Set(namesIn(rules));
    // A set goes on to what is added while it is gone through.
    for (const name of names) {
      const values = tokens.filter(({ prop }) => prop === name).map(({ value }) => value);
      for (const used of namesIn(values.join())) names.add(used);
    }
    return names;
  };

  const others = frame.clone();
  for (const token of tokensOf(others)) token.remove();
  // Also what they set anew, for print say: a page's own rules come later and would undo that.
  const inFrame = neededBy(others.toString());
  const elsewhere = tokens.filter(({ prop }) => !inFrame.has(prop));
  for (const token of elsewhere) token.remove();

  const own = (rules: string) => {
    const needed = neededBy(rules);
    const lacking = elsewhere.filter(({ prop }) => needed.has(prop));
    return lacking.length > 0 ? `:root{${lacking.join(';')}}${rules}` : rules;
  };
  return { frame: frame.toString(), own };
}

function tokensOf(root: Root): Declaration[] {
  const rules = root.nodes.filter((node) => node.type === 'rule');
  const declarations = rules
    .filter(({ selector }) => selector === ':root')
    .flatMap(({ nodes }) => nodes.filter((node) => node.type === 'decl'));
  return declarations.filter(({ prop }) => prop.startsWith('--'));
}

const namesIn = (css: string) => css.match(/--[\w-]+/g) ?? [];
