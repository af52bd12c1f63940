/**
 * Every internal link must lead to a page that exists, and to an id on it. Broken links in the content are reported with
 * file and field, others with their page. There must be a link to every listed page, and ids must be unique.
 */
import { decodeHash } from '../src/lib/scroll.ts';
import type { Mistake } from './mistakes.ts';

export type InternalLink = { file: string; field: string; target: string };

export type RenderedPage = {
  path: string;
  html: string;
  /** Whether visitors are meant to find it. */
  listed?: boolean;
};

export function checkLinks(
  pages: RenderedPage[],
  files: Set<string>,
  contentLinks: InternalLink[],
): Mistake[] {
  const idsOf = new Map(pages.map(({ path, html }) => [path, idsIn(html)]));
  const problemOf = (target: string): string | undefined => {
    const [path = '/', id] = target.replace(/\?[^#]*/, '').split('#');
    const ids = idsOf.get(path);
    if (!ids) return files.has(path) ? undefined : `${target} leads to no page`;
    if (id && !ids.includes(decodeHash(id)))
      return `${target}: the page ${path} has no section with the id ${id}`;
    return undefined;
  };

  const mistakes: Mistake[] = [];
  for (const { file, field, target } of contentLinks) {
    const message = problemOf(target);
    if (message) mistakes.push({ file: `content/${file}`, field, message });
  }
  if (mistakes.length > 0) return mistakes;

  const linked = new Set<string>();
  for (const page of pages) {
    const report = (field: string, message: string) =>
      mistakes.push({ file: page.path, field, message });
    for (const target of linksIn(page)) {
      const message = problemOf(target);
      if (message) report('link', message);
      const [path = ''] = target.split(/[?#]/);
      if (path !== page.path) linked.add(path);
    }
    for (const id of duplicates(idsIn(page.html))) report('id', `two elements have the id ${id}`);
  }
  for (const { path } of pages.filter((page) => page.listed && !linked.has(page.path)))
    mistakes.push({ file: path, field: 'page', message: 'no link of another page leads to it' });
  return mistakes;
}

const idsIn = (html: string) => [...html.matchAll(/ id="([^"]+)"/g)].map((m) => m[1] ?? '');
const duplicates = (ids: string[]) => ids.filter((id, at) => ids.indexOf(id) < at);

function linksIn({ path, html }: RenderedPage): string[] {
  const references = [...html.matchAll(/ (?:href|src|action)="([/#][^"]*)"/g)].map(
    (m) => m[1] ?? '',
  );
  return references
    .filter((target) => !target.startsWith('/api/'))
    .map((target) => (target.startsWith('#') ? path + target : target));
}
