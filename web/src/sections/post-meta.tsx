import type { ShownPost } from '../content/types.ts';
import { longDate } from '../lib/dates.ts';
import styles from './post-meta.module.css';

export function Categories({ post }: { post: ShownPost }) {
  return (
    <ul className={styles.categories} data-part="categories">
      {post.categories.map((category) => (
        <li key={category}>{category}</li>
      ))}
    </ul>
  );
}

export function Byline({ post }: { post: ShownPost }) {
  return (
    <p className={styles.byline} data-part="byline">
      {post.author} · <time dateTime={post.date}>{longDate(post.date)}</time>
    </p>
  );
}
