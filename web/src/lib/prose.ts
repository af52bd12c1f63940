/**
 * Long texts in the browser: taken from the page that carries them, fetched
 * when a client navigation or a dialog asks for one.
 */
import type { Prose } from '../content/types.ts';

const known = new Map<string, string>();

/** Keeps the texts of the page as it was served, before React takes it over. */
export function adoptProse(root: ParentNode) {
  for (const node of root.querySelectorAll<HTMLElement>('[data-prose]')) {
    known.set(node.dataset.prose ?? '', node.innerHTML);
  }
}

/** At build time a text is where it is used. */
export async function loadProse({ url, html }: Prose): Promise<void> {
  if (html !== undefined || known.has(url)) return;
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  known.set(url, await response.text());
}

export const proseHtml = ({ url, html }: Prose): string => html ?? known.get(url) ?? '';
