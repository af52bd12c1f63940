import { useContent } from '../../content/context.ts';
import type { Content } from '../../content/types.ts';
import { changed } from '../../lib/dates.ts';
import { pageTitle } from '../../lib/head.ts';
import type { PageHead } from '../../lib/page.ts';
import { blogPosting } from '../../lib/structured-data.ts';
import { Notice } from '../../sections/notice.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { Article } from './article.tsx';

/** So many of the newest posts have a preview picture of their own; older ones have the blog's. */
const ownPreviews = 100;

export function Page({ slug }: { slug: string }) {
  const { posts } = useContent();
  const post = posts.find((each) => each.slug === slug);
  if (!post) return <PostNotFound />;
  const at = posts.indexOf(post);
  // The list runs from new to old.
  return <Article post={post} previous={posts[at + 1]} next={posts[at - 1]} />;
}

function PostNotFound() {
  const { messages, pages } = useContent();
  const { blog, 'not-found': notFound } = pages;
  return (
    <Notice
      kicker={blog.hero.kicker}
      title={messages.post_not_found}
      text={blog.not_found.text}
      picture={notFound.picture}
    >
      <ButtonLink href="/blog">{blog.not_found.back}</ButtonLink>
    </Notice>
  );
}

export function meta({ site, pages, posts, messages }: Content, slug: string): PageHead {
  const { blog } = pages;
  const post = posts.find((each) => each.slug === slug);
  if (!post) {
    return {
      path: '/blog',
      index: false,
      title: pageTitle(site, messages.post_not_found),
      description: blog.not_found.head.description,
      picture: { ...blog.hero, name: 'blog' },
    };
  }
  const { title, short_title, description, date, updated, author, categories } = post;
  const name = posts.indexOf(post) < ownPreviews ? `blog/${slug}` : 'blog';
  return {
    title: pageTitle(site, short_title ?? title),
    description,
    picture: { name, title, kicker: categories[0] ?? blog.hero.kicker },
    crumb: title,
    article: { published: date, updated, author, categories },
    modified: changed(post),
    structuredData: [blogPosting(site, post, `/og/${name}.png`)],
  };
}
