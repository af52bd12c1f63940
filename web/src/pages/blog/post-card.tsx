import blog from 'content:blog';
import type { MouseEvent } from 'react';
import type { PostSummary } from '../../content/types.ts';
import { loadProse } from '../../lib/prose.ts';
import { Byline, Categories } from '../../sections/post-meta.tsx';
import { Card, CardLink } from '../../ui/card.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Picture } from '../../ui/picture.tsx';
import styles from './post-card.module.css';

type PostCardProps = { post: PostSummary; index: number; onOpen: () => void };

/** A link to the post's page; a plain click with a script opens it in place. */
export function PostCard({ post, index, onOpen }: PostCardProps) {
  const onClick = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
      return;
    event.preventDefault();
    onOpen();
  };
  const prefetch = () => void loadProse(post.body).catch(() => {});
  return (
    <Card
      padding="none"
      hoverEffect="lift"
      index={index}
      className={styles.card}
      onPointerEnter={prefetch}
    >
      <div className={styles.art} data-late>
        <Picture picture={post.picture} />
      </div>
      <div className={styles.words}>
        <Categories post={post} />
        <h2 className={styles.title}>
          <CardLink
            href={`/blog/${post.slug}`}
            onClick={onClick}
            onFocus={prefetch}
            className={styles.link}
          >
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
