/**
 * Leaves out of the styles what no page of this site shows: options nobody chose, layouts for other
 * numbers of things, sections the owner has not filled in.
 */
import postcss, { type ChildNode, type Container } from 'postcss';

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
