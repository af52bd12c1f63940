import { useContent } from '../../content/context.ts';
import type { Post } from '../../content/types.ts';
import { Icon } from '../../ui/icon.tsx';
import styles from './post-neighbours.module.css';

type PostNeighboursProps = { previous: Post | undefined; next: Post | undefined };

export function PostNeighbours({ previous, next }: PostNeighboursProps) {
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
