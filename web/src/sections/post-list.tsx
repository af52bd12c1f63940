import type { ShownPost } from '../content/types.ts';
import { Section } from '../ui/section.tsx';
import { PostCard } from './post-card.tsx';
import styles from './post-list.module.css';

type PostListProps = {
  posts: ShownPost[];
  /** The island that shows a post in place; without it a card leads to the post's page. */
  opens?: string | undefined;
};

/** The newest stands out, and so does the last where it would have no neighbour. */
const isWide = (index: number, count: number) =>
  index === 0 || (index === count - 1 && count % 2 === 0);

export function PostList({ posts, opens }: PostListProps) {
  return (
    <Section spacing="sm">
      <div className={styles.list}>
        {posts.map((post, index) => (
          <PostCard
            key={post.slug}
            post={post}
            index={index}
            wide={isWide(index, posts.length)}
            opens={opens}
          />
        ))}
      </div>
    </Section>
  );
}
