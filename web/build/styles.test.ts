import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { text, unpack } from './pack.ts';
import { classesOf, pageStyles, prune, shareTokens } from './styles.ts';
import { frozen } from './testing/frozen.ts';

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

const isUsed = classesOf(
  ['<p class="card wide">', '<p id="x" class="grid">'],
  ['const s={open:"open"}'],
);

it.each([
  ['.card{a:b}', '.card{a:b}'],
  ['.open{a:b}', '.open{a:b}'],
  ['.gone{a:b}', ''],
  ['.card,.gone{a:b}', '.card{a:b}'],
  ['.card .gone>p{a:b}.grid{a:b}', '.grid{a:b}'],
  ['.card:not(.gone):is(.gone,.wide){a:b}', '.card:not(.gone):is(.gone,.wide){a:b}'],
  ['.card[href$=".gone"]{a:b}', '.card[href$=".gone"]{a:b}'],
  ['@media print{@supports (a:b){.gone{a:b}}.card{a:b}}', '@media print{.card{a:b}}'],
  ['@media print{.gone{a:b}}', ''],
  ['@keyframes k{0%{a:b}12.5%{a:b}}', '@keyframes k{0%{a:b}12.5%{a:b}}'],
  ['*,::before{a:b}@layer x;', '*,::before{a:b}@layer x;'],
])('of %s it leaves %s', (css, left) => {
  expect(prune(css, isUsed)).toBe(left);
});

const css =
  ':root{--ink:red;--edge:1px solid var(--line);--line:blue;--paper:white;--gap:1rem}' +
  'p{color:var(--ink)}@media print{:root{--gap:0}}';

it('the frame keeps what its rules use, and what it sets anew', () => {
  expect(shareTokens(css).frame).toBe(
    ':root{--ink:red;--gap:1rem}p{color:var(--ink)}@media print{:root{--gap:0}}',
  );
});

it.each([
  ['p{color:var(--ink);gap:var(--gap)}', ''],
  ['p{background:var( --paper )}', ':root{--paper:white}'],
  ['p{border:var(--edge)}', ':root{--edge:1px solid var(--line);--line:blue}'],
  ['p{color:var(--unknown)}', ''],
])('before %s it puts what the frame lacks: %s', (rules, tokens) => {
  expect(shareTokens(css).own(rules)).toBe(tokens + rules);
});

const site = unpack(readFileSync(join(frozen.dist, 'site.pack')));
describe.each(site.filter(({ kind }) => kind === 'page' || kind === 'template'))(
  '$path',
  (page) => {
    it('has every token it uses', () => {
      const html = text(page);
      const set = new Set([...html.matchAll(/[{;"](--[\w-]+):/g)].map(([, name]) => name));
      const used = new Set([...html.matchAll(/var\((--[\w-]+)\)/g)].map(([, name]) => name));
      expect([...used].filter((name) => !set.has(name))).toEqual([]);
    });
  },
);
