import { useContent } from '../content/context.ts';
import type { Post } from '../content/types.ts';
import { longDate } from '../lib/dates.ts';
import styles from './post-meta.module.css';

type CategoriesProps = {
  post: Post;
  /** Each that has a page leads there; not in a card, which leads to its post. */
  linked?: boolean;
};

export function Categories({ post, linked = false }: CategoriesProps) {
  const { pages, categories } = useContent();
  const path = (name: string) =>
    linked ? categories.find((category) => category.name === name)?.path : undefined;
  return (
    <ul className={styles.categories} data-part="categories">
      {post.draft && (
        <li>
          <strong>{pages.blog.post.draft}</strong>
        </li>
      )}
      {post.categories.map((name) => (
        <li key={name}>{path(name) ? <a href={path(name)}>{name}</a> : name}</li>
      ))}
    </ul>
  );
}

/** Stays with what stands before it. */
const between = '\u00a0· ';

export function Byline({ post }: { post: Post }) {
  const { blog } = useContent().pages;
  return (
    <p className={styles.byline} data-part="byline">
      {post.author}
      {between}
      <time dateTime={post.date}>{longDate(post.date)}</time>
      {post.updated && (
        <>
          {between}
          <span>
            {blog.post.updated} <time dateTime={post.updated}>{longDate(post.updated)}</time>
          </span>
        </>
      )}
      {between}
      <span>{blog.post.reading_time.replace('{minutes}', String(post.minutes))}</span>
    </p>
  );
}
