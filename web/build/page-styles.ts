/**
 * The CSS that stands in each page: what all pages share, and what the pages of one kind have of their own.
 * Both are made once, however many posts there are.
 */
import { classesOf, prune } from './prune.ts';
import type { Styles } from './styles.ts';
import { shareTokens } from './tokens.ts';

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
