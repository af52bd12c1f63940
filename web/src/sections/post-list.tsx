import type { Post } from '../content/types.ts';
import { Grid } from '../ui/grid.tsx';
import { Section } from '../ui/section.tsx';
import { PostCard } from './post-card.tsx';

type PostListProps = {
  posts: Post[];
  /** The island that shows a post in place; without it a card leads to the post's page. */
  opens?: string | undefined;
};

/** The newest has a row to itself, and so has the last where it would have no neighbour. */
const isWide = (index: number, count: number) =>
  index === 0 || (index === count - 1 && count % 2 === 0);

export function PostList({ posts, opens }: PostListProps) {
  return (
    <Section spacing="sm">
      <Grid count={posts.length - 1} most={2}>
        {posts.map((post, index) => (
          <PostCard
            key={post.slug}
            post={post}
            index={index}
            wide={isWide(index, posts.length)}
            opens={opens}
          />
        ))}
      </Grid>
    </Section>
  );
}
