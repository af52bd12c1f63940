import { useContent } from '../../content/context.ts';
import type { Content, Post } from '../../content/types.ts';
import { changeDate } from '../../lib/dates.ts';
import { pageHead } from '../../lib/head.ts';
import { blogPosting } from '../../lib/structured-data.ts';
import { ClosingPanel } from '../../sections/closing-call.tsx';
import { Notice } from '../../sections/notice.tsx';
import { Byline, Categories } from '../../sections/post-list.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Picture } from '../../ui/picture.tsx';
import { Prose } from '../../ui/prose.tsx';
import styles from './page.module.css';

/** So many of the newest posts have their own preview picture; older ones have the blog's. */
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

type Neighbours = { previous: Post | undefined; next: Post | undefined };

/** A photo at the top is as wide as the article. */
const sizes = '(min-width: 1040px) 960px, 95vw';

function Article({ post, previous, next }: Neighbours & { post: Post }) {
  const { blog } = useContent().pages;
  return (
    <article className={`column ${styles.article}`}>
      <a className="arrow-link" href="/blog" data-screen-only>
        <Icon name="arrow-left" size={18} />
        {blog.post.back}
      </a>
      <div className={styles.head}>
        <Categories post={post} linked />
        <h1 className={styles.title}>{post.title}</h1>
        <p className={styles.excerpt} data-part="excerpt">
          {post.excerpt}
        </p>
        <Byline post={post} />
      </div>
      <div data-part="picture">
        <Picture picture={post.picture} eager sizes={sizes} className={styles.picture} />
      </div>
      <div className={styles.body}>
        <Prose html={post.html} />
        <ClosingPanel closing={post.cta} />
        <PostNeighbours previous={previous} next={next} />
      </div>
    </article>
  );
}

function PostNeighbours({ previous, next }: Neighbours) {
  const { blog } = useContent().pages;
  if (!previous && !next) return null;
  return (
    <nav
      className={styles.nav}
      aria-label={`${blog.post.previous}, ${blog.post.next}`}
      data-screen-only
    >
      {previous && (
        <a href={`/blog/${previous.slug}`} rel="prev" className={styles.link}>
          <span>
            <Icon name="arrow-left" size={18} />
            {blog.post.previous}
          </span>
          {previous.title}
        </a>
      )}
      {next && (
        <a href={`/blog/${next.slug}`} rel="next" className={styles.link}>
          <span>
            {blog.post.next}
            <Icon name="arrow-right" size={18} />
          </span>
          {next.title}
        </a>
      )}
    </nav>
  );
}

export function meta({ site, pages, posts, messages }: Content, slug: string) {
  const { blog } = pages;
  const post = posts.find((each) => each.slug === slug);
  if (!post) {
    const words = { ...blog.not_found.head, title: messages.post_not_found };
    const picture = { ...blog.hero, name: 'blog' };
    return { ...pageHead(site, words, picture), path: '/blog', index: false };
  }
  const { title, short_title, description, date, updated, categories } = post;
  const name = posts.indexOf(post) < ownPreviews ? `blog/${slug}` : 'blog';
  const words = { title: short_title ?? title, description };
  const picture = { name, title, kicker: categories[0] ?? blog.hero.kicker };
  return {
    ...pageHead(site, words, picture, blogPosting(site, post, `/og/${name}.png`)),
    crumb: title,
    article: { published: date, updated, categories },
    modified: changeDate(post),
  };
}
