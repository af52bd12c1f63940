import { expect, it } from 'vitest';
import { classesOf, pageStyles, prune } from './styles.ts';

const stylesOf = (kind: string) => `.bar{a:b}.gone{a:b}.${kind}{a:b}.article{a:b}`;

it('a page has the rules that its kind uses; the blog also those of a post in its window', () => {
  const pages = [
    { page: 'blog', html: '<p class="bar blog">' },
    { page: 'post', html: '<p class="article">' },
    { page: 'home', html: '<p class="home">' },
  ];
  expect(Object.fromEntries(pageStyles(stylesOf, pages, []))).toEqual({
    blog: '.bar{a:b}.blog{a:b}.article{a:b}',
    post: '.article{a:b}',
    home: '.home{a:b}',
  });
});

const isUsed = classesOf(
  ['<p class="card wide">', '<p id="x" class="grid">'],
  ['const s={open:"open"}'],
);

it.each([
  ['.card{a:b}.open{a:b}.gone{a:b}', '.card{a:b}.open{a:b}'],
  ['.card,.gone{a:b}', '.card{a:b}'],
  ['.card .gone>p{a:b}.grid{a:b}', '.grid{a:b}'],
  ['.card:not(.gone):is(.gone,.wide){a:b}', '.card:not(.gone):is(.gone,.wide){a:b}'],
  ['.card[href$=".gone"]{a:b}', '.card[href$=".gone"]{a:b}'],
  ['@media print{@supports (a:b){.gone{a:b}}.card{a:b}}', '@media print{.card{a:b}}'],
  ['@keyframes k{0%{a:b}12.5%{a:b}}', '@keyframes k{0%{a:b}12.5%{a:b}}'],
  ['*,::before{a:b}@layer x;', '*,::before{a:b}@layer x;'],
])('of %s it leaves %s', (css, left) => {
  expect(prune(css, isUsed)).toBe(left);
});
