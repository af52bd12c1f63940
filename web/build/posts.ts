/** The posts of the blog as a whole: their order, categories, sources and reading time. */
import type { z } from 'zod';
import type { postFrontMatter } from '../src/content/schema.ts';
import type { Category, Content, Post } from '../src/content/types.ts';
import { addressPart } from '../src/lib/address-part.ts';
import { escapeHtml } from '../src/lib/escape-html.ts';

/** The words of a plain text that adults read in a minute. */
const wordsInMinute = 230;

export function readingMinutes(html: string): number {
  const words = html
    .replaceAll(/<[^>]*>/g, ' ')
    .split(/\s+/)
    .filter(Boolean);
  return Math.max(1, Math.round(words.length / wordsInMinute));
}

type Read = z.infer<typeof postFrontMatter> & Pick<Post, 'id' | 'slug' | 'html'>;

/** At the end of the text, so that it goes wherever the text does: its page, its window, the feed. */
function sourceList(sources: Read['sources'], title: string): string {
  if (!sources) return '';
  const items = sources.map(
    ({ label, url }) => `<li><a href="${escapeHtml(url)}">${escapeHtml(label)}</a></li>`,
  );
  return `\n<section><h2 id="sources">${escapeHtml(title)}</h2><ol>${items.join('')}</ol></section>`;
}

/** From the newest on, each with what the blog has for posts that say nothing of their own. */
export const inOrder = (posts: Read[], { post: usual }: Content['pages']['blog']): Post[] =>
  posts
    .map((post) => ({
      ...post,
      html: post.html + sourceList(post.sources, usual.sources),
      author: post.author ?? usual.author,
      picture: post.picture ?? usual.default_picture,
      cta: post.cta ?? usual.cta,
      minutes: readingMinutes(post.html),
    }))
    .sort((a, b) => b.date.localeCompare(a.date) || a.slug.localeCompare(b.slug));

/** Those that have a page of their own: those of two posts or more. */
export function categoriesOf(posts: Post[]): Category[] {
  const byName = new Map<string, Post[]>();
  for (const post of posts) {
    for (const name of post.categories) {
      const own = byName.get(name);
      if (own) own.push(post);
      else byName.set(name, [post]);
    }
  }
  return [...byName]
    .filter(([, own]) => own.length > 1)
    .map(([name, own]) => {
      const slug = addressPart(name);
      return { name, slug, path: `/blog/category/${slug}`, posts: own };
    });
}

/** A category has one page, so it is written one way. */
export function categoryMistakes(posts: Pick<Post, 'slug' | 'categories'>[]) {
  const names = new Map<string, string>();
  return posts.flatMap(({ slug, categories }) =>
    categories.flatMap((name, at) => {
      const address = addressPart(name);
      const known = names.get(address) ?? name;
      names.set(address, known);
      const where = { file: `posts/${slug}.md`, field: `categories.${at + 1}` };
      if (!address)
        return [{ ...where, message: 'has no letter or digit that can stand in an address' }];
      if (known === name) return [];
      return [{ ...where, message: `is ${known} in another post: write it the same way` }];
    }),
  );
}
