import blog from 'content:blog';
import posts from 'content:posts';
import { lastChange } from '../../lib/dates.ts';
import { heroHead } from '../../lib/head.ts';
import { PageHero } from '../../sections/page-hero.tsx';
import { PostList } from '../../sections/post-list.tsx';
import { Island } from '../../ui/island.tsx';
import { Newsletter } from './newsletter.tsx';
import { PostWindow } from './post-window.tsx';

const postWindow = 'post-window';

export function Page() {
  return (
    <>
      <PageHero {...blog.hero} />
      <PostList posts={posts} opens={postWindow} />
      <Newsletter />
      <Island name={postWindow} wake="touch" component={PostWindow} words={blog.modal} props={{}} />
    </>
  );
}

export const meta = () => ({ ...heroHead(blog), modified: lastChange(posts) });
