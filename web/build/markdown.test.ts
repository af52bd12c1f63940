import { Window } from 'happy-dom';
import { expect, it } from 'vitest';
import { renderMarkdown } from './markdown.ts';

function rendered(markdown: string) {
  const { document } = new Window();
  document.body.innerHTML = renderMarkdown(markdown, 'Table').html;
  return document.body;
}

const ids = (markdown: string) =>
  [...rendered(markdown).querySelectorAll('h2, h3')].map(({ id }) => id);

it('a heading is named after its words', () => {
  expect(ids('## 3. A first draft of a quote’s wording\n\n### The honest “I don’t know”')).toEqual([
    '3-a-first-draft-of-a-quote-s-wording',
    'the-honest-i-don-t-know',
  ]);
});

it('letters of every script count', () => {
  expect(ids('## Café à Montréal\n\n## 見出し\n\n## हिन्दी')).toEqual([
    'café-à-montréal',
    '見出し',
    'हिन्दी',
  ]);
});

it('equal headings, and those that another one is called like, get names of their own', () => {
  expect(ids('## Cost\n\n## Cost 2\n\n## Cost\n\n### Cost')).toEqual([
    'cost',
    'cost-2',
    'cost-3',
    'cost-4',
  ]);
});

it('a heading without a letter has a name, too', () => {
  expect(ids('## ???\n\n## 🍁')).toEqual(['section', 'section-2']);
});

it('no heading takes a name that the page around it has', () => {
  expect(ids('## Main\n\n## Menu\n\n## Root\n\n## New tab note')).toEqual([
    'main-2',
    'menu-2',
    'root-2',
    'new-tab-note-2',
  ]);
});

it('a table can be scrolled with the keyboard, each under a name of its own', () => {
  const table = '| a | b |\n|---|---|\n| 1 | 2 |\n\n';
  const page = rendered(`${table}## What it *costs* & why\n\n${table}Words.\n\n${table}`);
  const regions = [...page.querySelectorAll('[role=region][tabindex="0"]')];
  expect(regions.map((region) => region.getAttribute('aria-label'))).toEqual([
    'Table',
    'Table: What it costs & why',
    'Table: What it costs & why 2',
  ]);
  expect(regions.map((region) => region.querySelectorAll('table td').length)).toEqual([2, 2, 2]);
  expect(page.querySelectorAll('table')).toHaveLength(3);
});
