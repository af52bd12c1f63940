import blog from 'content:blog';
import posts from 'content:posts';
import messages from '../../../../contract/messages.json';
import { type PageMeta, pageTitle } from '../../lib/head.ts';
import type { Params } from '../../lib/page.ts';
import { loadProse } from '../../lib/prose.ts';
import { blogPosting, breadcrumbs } from '../../lib/structured-data.ts';
import { Article } from './article.tsx';
import { PostNotFound } from './post-not-found.tsx';

const find = ({ slug }: Params) => posts.find((post) => post.slug === slug);

export function Page({ params }: { params: Params }) {
  const post = find(params);
  if (!post) return <PostNotFound />;
  const at = posts.indexOf(post);
  // The list runs from new to old.
  return <Article post={post} previous={posts[at + 1]} next={posts[at - 1]} />;
}

export async function prepare(params: Params) {
  const post = find(params);
  if (post && !import.meta.env.SSR) await loadProse(post.body);
}

export function meta(params: Params): PageMeta {
  const post = find(params);
  if (!post) {
    return {
      path: '/blog',
      title: pageTitle(messages.post_not_found),
      description: blog.not_found.head.description,
      picture: { name: 'blog', title: blog.hero.title, kicker: blog.hero.kicker },
      index: false,
      structuredData: [],
    };
  }
  const path = `/blog/${post.slug}`;
  const picture = {
    name: `blog/${post.slug}`,
    title: post.title,
    kicker: post.categories[0] ?? blog.hero.kicker,
  };
  return {
    path,
    title: pageTitle(post.title),
    description: post.description,
    picture,
    index: true,
    article: { published: post.date, author: post.author, categories: post.categories },
    structuredData: [
      blogPosting(post, `/og/${picture.name}.png`),
      breadcrumbs(
        { name: 'Home', path: '/' },
        { name: blog.hero.kicker, path: '/blog' },
        { name: post.title, path },
      ),
    ],
  };
}
