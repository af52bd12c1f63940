/**
 * Every internal link must lead somewhere: to a page that was made, and to an
 * id that stands in it. Links from content are reported with file and field,
 * any other with the page it stands on.
 */
import { decodeHash } from '../src/lib/decode-hash.ts';
import { ContentError, type InternalLink, type Mistake } from './content.ts';

export type RenderedPage = { path: string; html: string };

export function checkLinks(
  pages: RenderedPage[],
  files: Set<string>,
  contentLinks: InternalLink[],
) {
  const idsOf = new Map(pages.map((page) => [page.path, idsIn(page.html)]));
  const broken = (target: string): string | undefined => {
    const [path = '/', id] = target.replace(/\?[^#]*/, '').split('#');
    const ids = idsOf.get(path);
    if (!ids) return files.has(path) ? undefined : `${target} leads to no page`;
    if (id && !ids.has(decodeHash(id)))
      return `${target}: the page ${path} has no section with the id ${id}`;
    return undefined;
  };

  const mistakes: Mistake[] = [];
  for (const { file, field, target } of contentLinks) {
    const message = broken(target);
    if (message) mistakes.push({ file: `content/${file}`, field, message });
  }
  if (mistakes.length > 0) throw new ContentError(mistakes);

  for (const page of pages) {
    for (const target of linksIn(page)) {
      const message = broken(target);
      if (message) mistakes.push({ file: page.path, field: 'link', message });
    }
  }
  if (mistakes.length > 0) throw new ContentError(mistakes);
}

const idsIn = (html: string) => new Set([...html.matchAll(/ id="([^"]+)"/g)].map((m) => m[1]));

function linksIn({ path, html }: RenderedPage): string[] {
  const references = [...html.matchAll(/ (?:href|src|action)="([/#][^"]*)"/g)].map(
    (m) => m[1] ?? '',
  );
  return references
    .filter((target) => !target.startsWith('/api/'))
    .map((target) => (target.startsWith('#') ? path + target : target));
}
