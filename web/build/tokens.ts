/**
 * Gives each page the tokens it uses: those of the frame's rules stand in the frame, one that only some
 * pages use stands before their own rules.
 */
import postcss, { type Declaration, type Root } from 'postcss';

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
