import { useContent } from '../../content/context.ts';
import type { Content } from '../../content/types.ts';
import { lastChange } from '../../lib/dates.ts';
import { pageHead } from '../../lib/head.ts';
import { NewsletterIsland } from '../../sections/form-islands.tsx';
import { PageHero } from '../../sections/page-hero.tsx';
import { PostList } from '../../sections/post-list.tsx';
import { Island } from '../../ui/island.tsx';
import { Kicker, Section, SectionTitle } from '../../ui/section.tsx';
import styles from './page.module.css';
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

function Newsletter() {
  const { blog } = useContent().pages;
  const { kicker, title, text } = blog.newsletter;
  return (
    <Section title={title} backgroundColor="dark-accent" spacing="md">
      <div className={styles.layout}>
        <div>
          <Kicker>{kicker}</Kicker>
          <SectionTitle className={styles.title} />
          <p className={styles.text}>{text}</p>
          <a className={styles.feed} href="/feed.xml" type="application/atom+xml">
            {blog.feed}
          </a>
        </div>
        <NewsletterIsland />
      </div>
    </Section>
  );
}

export const meta = ({ site, pages, posts }: Content) => ({
  ...pageHead(site, pages.blog.head, pages.blog.hero),
  modified: lastChange(posts),
});
