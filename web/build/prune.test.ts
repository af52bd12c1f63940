import { expect, it } from 'vitest';
import { classesOf, prune } from './prune.ts';

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
