/** The categories of the blog that have a page of their own: those of two posts or more. */
import posts from 'content:posts';
import type { ShownPost } from '../content/types.ts';
import { addressPart } from './address-part.ts';

export type Category = { name: string; slug: string; path: string; posts: ShownPost[] };

const names = [...new Set(posts.flatMap((post) => post.categories))];

export const categories: Category[] = names
  .map((name) => ({
    name,
    slug: addressPart(name),
    path: `/blog/category/${addressPart(name)}`,
    posts: posts.filter((post) => post.categories.includes(name)),
  }))
  .filter((category) => category.posts.length > 1);
