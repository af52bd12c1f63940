import type { PostSummary } from '../content/types.ts';
import { longDate } from '../lib/dates.ts';
import styles from './post-meta.module.css';

export function Categories({ post }: { post: PostSummary }) {
  return (
    <ul className={styles.categories}>
      {post.categories.map((category) => (
        <li key={category}>{category}</li>
      ))}
    </ul>
  );
}

export function Byline({ post }: { post: PostSummary }) {
  return (
    <p className={styles.byline}>
      {post.author} · <time dateTime={post.date}>{longDate(post.date)}</time>
    </p>
  );
}
