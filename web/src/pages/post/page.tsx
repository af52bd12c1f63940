import blog from 'content:blog';
import messages from 'content:messages';
import posts from 'content:posts';
import { changed } from '../../lib/dates.ts';
import { pageTitle } from '../../lib/head.ts';
import type { PageHead } from '../../lib/page.ts';
import { blogPosting } from '../../lib/structured-data.ts';
import { Article } from './article.tsx';
import { PostNotFound } from './post-not-found.tsx';

const find = (slug: string) => posts.find((post) => post.slug === slug);

export function Page({ slug }: { slug: string }) {
  const post = find(slug);
  if (!post) return <PostNotFound />;
  const at = posts.indexOf(post);
  // The list runs from new to old.
  return <Article post={post} previous={posts[at + 1]} next={posts[at - 1]} />;
}

export function meta(slug: string): PageHead {
  const post = find(slug);
  if (!post) {
    return {
      path: '/blog',
      index: false,
      title: pageTitle(messages.post_not_found),
      description: blog.not_found.head.description,
      picture: { ...blog.hero, name: 'blog' },
    };
  }
  const { title, short_title, description, date, updated, author, categories } = post;
  const name = `blog/${slug}`;
  return {
    title: pageTitle(short_title ?? title),
    description,
    picture: { name, title, kicker: categories[0] ?? blog.hero.kicker },
    crumb: title,
    article: { published: date, updated, author, categories },
    modified: changed(post),
    structuredData: [blogPosting(post, `/og/${name}.png`)],
  };
}
