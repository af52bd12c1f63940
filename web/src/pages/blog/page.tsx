import blog from 'content:blog';
import posts from 'content:posts';
import { startTransition, useState } from 'react';
import { heroHead } from '../../lib/head.ts';
import { PageHero } from '../../sections/page-hero.tsx';
import { Section } from '../../ui/section.tsx';
import { Newsletter } from './newsletter.tsx';
import styles from './page.module.css';
import { PostCard } from './post-card.tsx';
import { PostModal } from './post-modal.tsx';

export function Page() {
  const [selected, setSelected] = useState<string>();
  // In steps: a whole post to lay out at once would keep the page from answering anything else.
  const select = (slug?: string) => startTransition(() => setSelected(slug));
  const post = posts.find(({ slug }) => slug === selected);
  return (
    <>
      <PageHero {...blog.hero} />
      <Section spacing="sm">
        <div className={styles.list}>
          {posts.map((entry, index) => (
            <PostCard
              key={entry.slug}
              post={entry}
              index={index}
              onOpen={() => select(entry.slug)}
            />
          ))}
        </div>
      </Section>
      <Newsletter />
      {post && <PostModal key={post.slug} post={post} onClose={() => select()} />}
    </>
  );
}

export const meta = () => heroHead(blog);
