import blog from 'content:blog';
import type { ShownPost } from '../../content/types.ts';
import { Byline, Categories } from '../../sections/post-meta.tsx';
import { Card, CardLink } from '../../ui/card.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Picture } from '../../ui/picture.tsx';
import styles from './post-card.module.css';

/** A link to the post's page; a plain click with a script opens it in place (`post-window.tsx`). */
export function PostCard({ post, index }: { post: ShownPost; index: number }) {
  return (
    <Card padding="none" hoverEffect="lift" index={index} className={styles.card}>
      <div className={styles.art} data-late>
        <Picture picture={post.picture} />
      </div>
      <div className={styles.words}>
        <Categories post={post} />
        <h2 className={styles.title}>
          <CardLink href={`/blog/${post.slug}`} data-opens="post-window" className={styles.link}>
            {post.title}
          </CardLink>
        </h2>
        <p>{post.excerpt}</p>
        <div className={styles.end}>
          <Byline post={post} />
          <span className={styles.more} aria-hidden="true">
            {blog.read_more}
            <Icon name="arrow-right" size={18} />
          </span>
        </div>
      </div>
    </Card>
  );
}
