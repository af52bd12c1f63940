/** The CSS inside the pages: one for all pages of a kind, without the rules that none of them uses. */
import postcss, { type ChildNode, type Container } from 'postcss';

type Rendered = {
  /** Its kind: the folder in `src/pages`. */
  page: string;
  html: string;
};

/** By the kind of page. `stylesOf` returns all rules that a kind may need. */
export function pageStyles(
  stylesOf: (page: string) => string,
  rendered: Rendered[],
  scripts: string[],
): Map<string, string> {
  const kinds = new Set(rendered.map(({ page }) => page));
  const pagesOf = (kind: string) =>
    rendered.filter(({ page }) => page === kind).map(({ html }) => html);
  return new Map(
    [...kinds].map((kind) => {
      // The blog shows a post in a window of its own.
      const pages = kind === 'blog' ? [...pagesOf('blog'), ...pagesOf('post')] : pagesOf(kind);
      return [kind, prune(stylesOf(kind), classesOf(pages, scripts))];
    }),
  );
}

/** Whether a class is in one of the pages, or in a script that may put it there. */
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

/** The classes that a selector needs. Those in brackets don't count: they are alternatives, or a "not". */
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
