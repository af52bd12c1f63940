/** A card for each post, with its categories and byline. */
import { useContent } from '../content/context.ts';
import type { Post } from '../content/types.ts';
import { longDate } from '../lib/dates.ts';
import { Card, CardLink } from '../ui/card.tsx';
import { classes } from '../ui/classes.ts';
import { Grid } from '../ui/grid.tsx';
import { Icon } from '../ui/icon.tsx';
import { Picture } from '../ui/picture.tsx';
import { Section } from '../ui/section.tsx';
import styles from './post-list.module.css';
import metaStyles from './post-meta.module.css';

type PostListProps = {
  posts: Post[];
  /** The island that shows a post in a window; without it a card leads to the post's page. */
  opens?: string;
};

const sizes = {
  wide: '(min-width: 1240px) 656px, (min-width: 900px) 55vw, 100vw',
  half: '(min-width: 1240px) 580px, (min-width: 640px) 48vw, 100vw',
};

/** A card links to the post's page; with a script a plain click opens the island. */
export function PostList({ posts, opens }: PostListProps) {
  const { blog } = useContent().pages;
  // The newest has its own row, and so has the last if it would have no neighbour.
  const isWide = (index: number) =>
    index === 0 || (index === posts.length - 1 && posts.length % 2 === 0);
  return (
    <Section spacing="sm">
      <Grid count={posts.length - 1} most={2}>
        {posts.map((post, index) => (
          <Card
            key={post.slug}
            padding="none"
            hoverEffect="lift"
            index={index}
            className={classes(styles.card, isWide(index) && styles.wide)}
          >
            <div className={styles.art} data-late>
              <Picture picture={post.picture} sizes={isWide(index) ? sizes.wide : sizes.half} />
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
                <span className={classes('arrow-link', styles.more)} aria-hidden="true">
                  {blog.read_more}
                  <Icon name="arrow-right" size={18} />
                </span>
              </div>
            </div>
          </Card>
        ))}
      </Grid>
    </Section>
  );
}

type CategoriesProps = {
  post: Post;
  /** Each links to its page if it has one; not in a card, whose only link is to the post. */
  linked?: boolean;
};

export function Categories({ post, linked = false }: CategoriesProps) {
  const { pages, categories } = useContent();
  const path = (name: string) =>
    linked ? categories.find((category) => category.name === name)?.path : undefined;
  return (
    <ul className={metaStyles.categories} data-part="categories">
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

export function Byline({ post }: { post: Post }) {
  const { blog } = useContent().pages;
  return (
    <p className={metaStyles.byline} data-part="byline">
      <span>{post.author}</span> <time dateTime={post.date}>{longDate(post.date)}</time>{' '}
      {post.updated && (
        <span>
          {blog.post.updated} <time dateTime={post.updated}>{longDate(post.updated)}</time>
        </span>
      )}{' '}
      <span>{blog.post.reading_time.replace('{minutes}', String(post.minutes))}</span>
    </p>
  );
}
