import { useContent } from '../../content/context.ts';
import type { Post } from '../../content/types.ts';
import { ClosingPanel } from '../../sections/closing-call.tsx';
import { Byline, Categories } from '../../sections/post-meta.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Picture } from '../../ui/picture.tsx';
import { Prose } from '../../ui/prose.tsx';
import styles from './article.module.css';
import { PostNeighbours } from './post-neighbours.tsx';

type ArticleProps = {
  post: Post;
  previous: Post | undefined;
  next: Post | undefined;
};

/** How wide a photo on top is shown: all of the article. */
const sizes = '(min-width: 1040px) 960px, 95vw';

export function Article({ post, previous, next }: ArticleProps) {
  const { blog } = useContent().pages;
  return (
    <article className={styles.article}>
      <a className={styles.back} href="/blog" data-screen-only>
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
        <Picture picture={post.picture} eager fades sizes={sizes} className={styles.picture} />
      </div>
      <div className={styles.body}>
        <Prose html={post.html} />
        <ClosingPanel closing={post.cta} />
        <PostNeighbours previous={previous} next={next} />
      </div>
    </article>
  );
}
