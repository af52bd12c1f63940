/** The posts of one category; a category with one post has no page. */
import { useContent } from '../../content/context.ts';
import type { Category, Content } from '../../content/types.ts';
import { lastChange } from '../../lib/dates.ts';
import { pageHead } from '../../lib/head.ts';
import { PageHero } from '../../sections/page-hero.tsx';
import { PostList } from '../../sections/post-list.tsx';
import { ButtonLink } from '../../ui/button.tsx';

/** Only existing categories have pages. */
const find = ({ categories }: Content, slug: string) =>
  categories.find((category) => category.slug === slug) as Category;
const withName = ({ name }: Category, words: string) => words.replaceAll('{category}', name);

export function Page({ slug }: { slug: string }) {
  const content = useContent();
  const { blog } = content.pages;
  const category = find(content, slug);
  const { title, lead } = blog.category;
  return (
    <>
      <PageHero kicker={blog.hero.kicker} title={withName(category, title)} lead={lead}>
        <ButtonLink href="/blog" variant="ghost">
          {blog.category.all}
        </ButtonLink>
      </PageHero>
      <PostList posts={category.posts} />
    </>
  );
}

export function meta(content: Content, slug: string) {
  const { blog } = content.pages;
  const category = find(content, slug);
  const title = withName(category, blog.category.title);
  const description = withName(category, blog.category.description);
  const picture = { name: `blog/category/${slug}`, title, kicker: blog.hero.kicker };
  return {
    ...pageHead(content.site, { title, description }, picture),
    crumb: category.name,
    modified: lastChange(category.posts),
  };
}
