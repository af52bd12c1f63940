import { expect, it } from 'vitest';
import { pageStyles } from './page-styles.ts';

const styles = {
  frame: ':root{--ink:red;--line:blue}.bar{color:var(--line)}.gone{a:b}',
  own: (kind: string) => `.${kind}{a:b}.article{color:var(--ink)}`,
};

it('a page carries the rules that its kind shows; the blog also those of a post in its window', () => {
  const { frame, own } = pageStyles(
    styles,
    [
      { page: 'blog', html: '<p class="bar blog">' },
      { page: 'post', html: '<p class="article">' },
      { page: 'home', html: '<p class="home">' },
    ],
    [],
  );
  expect(frame).toBe(':root{--line:blue}.bar{color:var(--line)}');
  expect(Object.fromEntries(own)).toEqual({
    blog: ':root{--ink:red}.blog{a:b}.article{color:var(--ink)}',
    post: ':root{--ink:red}.article{color:var(--ink)}',
    home: '.home{a:b}',
  });
});

it('a post is read as often among many posts as among few', () => {
  const timesRead = (posts: number) => {
    let times = 0;
    const post = {
      page: 'post',
      get html() {
        times += 1;
        return '<p class="article">';
      },
    };
    const others = Array.from({ length: posts - 1 }, () => ({ page: 'post', html: '' }));
    pageStyles(styles, [post, ...others, { page: 'blog', html: '' }], []);
    return times;
  };
  expect(timesRead(50)).toBe(timesRead(2));
});
