/**
 * What a style sheet uses that the oldest browsers lack, outside of `@supports`.
 * They pass over a declaration or a rule they do not know; a selector takes all
 * others of its list along, unless they stand in one `:is()`.
 */
import postcss, { type ChildNode, type Node, type Rule } from 'postcss';
import {
  type Feature,
  missingAtRule,
  missingFunctions,
  missingProperty,
  missingSelectors,
} from './support.ts';

/** May be passed over, and what a visitor has instead. */
const optional: Record<string, string> = {
  mask: 'nothing: the build writes the name with a prefix, too',
  'text-size-adjust': 'nothing: the name with a prefix stands beside it',
  'text-wrap': 'lines that break as they come',
  'content-visibility': 'the page laid out at once',
  'scrollbar-gutter': 'a page that moves by the width of its scroll bar',
  'transition-behavior': 'a menu that is there at once',
  '@starting-style': 'a menu that is there at once',
  ':popover-open': 'a menu that the script opens',
  ':has': 'the look without the refinement, in a rule of its own',
};

export type Found = { line: number; feature: Feature; why: string };

export function unguardedStyles(code: string): Found[] {
  const found: Found[] = [];
  postcss.parse(code).walk((node) => {
    if (isAskedFor(node)) return;
    const line = node.source?.start?.line ?? 0;
    for (const feature of missingIn(node)) {
      const why = complaint(node, feature);
      if (why) found.push({ line, feature, why });
    }
  });
  return found;
}

function complaint(node: ChildNode, { name }: Feature): string {
  if (node.type === 'rule' && takesOthersAlong(node)) return 'takes the rest of its list along';
  return name in optional ? '' : 'stands outside of @supports';
}

const takesOthersAlong = ({ selectors }: Rule) =>
  selectors.length > 1 && selectors.some((each) => missingSelectors(unforgiven(each)).length > 0);

/** The selector without what `:is()` and `:where()` forgive. */
const unforgiven = (selector: string) => selector.replace(/:(?:is|where)\(.*\)/, '');

function missingIn(node: ChildNode): Feature[] {
  if (node.type === 'rule') return missingSelectors(node.selector);
  if (node.type === 'atrule') return [missingAtRule(node.name) ?? []].flat();
  if (node.type !== 'decl') return [];
  return [missingProperty(node.prop) ?? [], ...missingFunctions(node.value)].flat();
}

function isAskedFor({ parent }: Node): boolean {
  if (!parent) return false;
  const { type, name } = parent as { type: string; name?: string };
  return (type === 'atrule' && name === 'supports') || isAskedFor(parent);
}
