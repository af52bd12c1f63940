import { useContent } from '../content/context.ts';
import type { Post } from '../content/types.ts';
import { Card, CardLink } from '../ui/card.tsx';
import { classes } from '../ui/classes.ts';
import { Icon } from '../ui/icon.tsx';
import { Picture } from '../ui/picture.tsx';
import styles from './post-card.module.css';
import { Byline, Categories } from './post-meta.tsx';

/** How wide a photo is shown. */
const sizes = {
  wide: '(min-width: 1240px) 656px, (min-width: 900px) 55vw, 100vw',
  half: '(min-width: 1240px) 580px, (min-width: 640px) 48vw, 100vw',
};

type PostCardProps = {
  post: Post;
  index: number;
  /** Over both columns. */
  wide: boolean;
  opens: string | undefined;
};

/** A link to the post's page; a plain click with a script opens the island that is named instead. */
export function PostCard({ post, index, wide, opens }: PostCardProps) {
  const { blog } = useContent().pages;
  return (
    <Card
      padding="none"
      hoverEffect="lift"
      index={index}
      className={classes(styles.card, wide && styles.wide)}
    >
      <div className={styles.art} data-late>
        <Picture picture={post.picture} sizes={wide ? sizes.wide : sizes.half} />
      </div>
      <div className={styles.words}>
        <Categories post={post} />
        <h2 className={styles.title}>
          <CardLink href={`/blog/${post.slug}`} data-opens={opens} className={styles.link}>
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
