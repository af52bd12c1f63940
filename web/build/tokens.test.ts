import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { text, unpack } from './pack.ts';
import { frozen } from './testing/frozen.ts';
import { shareTokens } from './tokens.ts';

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
