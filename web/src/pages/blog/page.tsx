import { useContent } from '../../content/context.ts';
import type { Content } from '../../content/types.ts';
import { lastChange } from '../../lib/dates.ts';
import { heroHead } from '../../lib/head.ts';
import { PageHero } from '../../sections/page-hero.tsx';
import { PostList } from '../../sections/post-list.tsx';
import { Island } from '../../ui/island.tsx';
import { Newsletter } from './newsletter.tsx';
import { PostWindow } from './post-window.tsx';

const postWindow = 'post-window';

export function Page() {
  const { posts, pages } = useContent();
  const { blog } = pages;
  return (
    <>
      <PageHero {...blog.hero} />
      <PostList posts={posts} opens={postWindow} />
      <Newsletter />
      <Island name={postWindow} component={PostWindow} props={{ words: blog.modal }} />
    </>
  );
}

export const meta = ({ site, pages, posts }: Content) => ({
  ...heroHead(site, pages.blog),
  modified: lastChange(posts),
});
