import blog from 'content:blog';
import posts from 'content:posts';
import { heroHead } from '../../lib/head.ts';
import { PageHero } from '../../sections/page-hero.tsx';
import { Island } from '../../ui/island.tsx';
import { Section } from '../../ui/section.tsx';
import { Newsletter } from './newsletter.tsx';
import styles from './page.module.css';
import { PostCard } from './post-card.tsx';
import { PostWindow } from './post-window.tsx';

export function Page() {
  return (
    <>
      <PageHero {...blog.hero} />
      <Section spacing="sm">
        <div className={styles.list}>
          {posts.map((post, index) => (
            <PostCard key={post.slug} post={post} index={index} />
          ))}
        </div>
      </Section>
      <Newsletter />
      <Island
        name="post-window"
        wake="touch"
        component={PostWindow}
        words={blog.modal}
        props={{}}
      />
    </>
  );
}

export const meta = () => heroHead(blog);
