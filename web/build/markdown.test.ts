import { Window } from 'happy-dom';
import { expect, it } from 'vitest';
import { renderMarkdown } from './markdown.ts';

/** Every photo has this size. */
const photo = async (name: string) => ({
  src: `/assets/${name}.jpg`,
  width: 1920,
  height: name === 'tall' ? 3840 : 1280,
  sources: [{ type: 'image/avif', srcset: `/assets/${name}.avif 1920w` }],
});
const render = (markdown: string) =>
  renderMarkdown(markdown, { table: 'Table', code: 'Code', photo });

async function rendered(markdown: string) {
  const { document } = new Window();
  document.body.innerHTML = (await render(markdown)).html;
  return document.body;
}

it.each([
  [
    '## 3. A quote’s wording\n\n### The “I don’t know”',
    ['3-a-quote-s-wording', 'the-i-don-t-know'],
  ],
  ['## Café à Montréal\n\n## 見出し\n\n## हिन्दी', ['café-à-montréal', '見出し', 'हिन्दी']],
  ['## Cost\n\n## Cost 2\n\n## Cost\n\n### Cost', ['cost', 'cost-2', 'cost-3', 'cost-4']],
  ['## ???\n\n## 🍁', ['section', 'section-2']],
  // The page around the text has these ids.
  ['## Main\n\n## Menu\n\n## New tab note', ['main-2', 'menu-2', 'new-tab-note-2']],
])('the headings of %s have unique ids, made from their words', async (markdown, ids) => {
  const headings = [...(await rendered(markdown)).querySelectorAll('h2, h3')];
  expect(headings.map(({ id }) => id)).toEqual(ids);
});

it('tables can be scrolled with the keyboard, and each has its own name', async () => {
  const table = '| a | b |\n|---|---|\n| 1 | 2 |\n\n';
  const page = await rendered(`${table}## What it *costs* & why\n\n${table}Words.\n\n${table}`);
  const regions = [...page.querySelectorAll('[role=region][tabindex="0"]')];
  expect(regions.map((region) => region.getAttribute('aria-label'))).toEqual([
    'Table',
    'Table: What it costs & why',
    'Table: What it costs & why 2',
  ]);
  expect(regions.map((region) => region.querySelectorAll('table td').length)).toEqual([2, 2, 2]);
  expect(page.querySelectorAll('table')).toHaveLength(3);
});

it('a photo has its size, its widths and its description, and loads when it comes near', async () => {
  const page = await rendered('![A *shop* & “more”](shop)');
  expect(page.innerHTML).toBe(
    '<figure><picture><source type="image/avif" srcset="/assets/shop.avif 1920w" ' +
      'sizes="(max-width: 728px) calc(100vw - 2.5rem), 688px">' +
      '<img src="/assets/shop.jpg" width="688" height="459" alt="A *shop* &amp; “more”" ' +
      'loading="lazy" decoding="async"></picture></figure>',
  );
});

it('a tall photo is no higher than a screen', async () => {
  const image = (await rendered('![A tower](tall)')).querySelector('img');
  expect([image?.getAttribute('width'), image?.getAttribute('height')]).toEqual(['320', '640']);
});

it('the text in quotes is the caption, and a photo between words stays there', async () => {
  const page = await rendered('![A](a "Seen <b>so</b>")\n\nWords ![B](b) and words.');
  expect(page.querySelector('figure figcaption')?.textContent).toBe('Seen <b>so</b>');
  expect(page.querySelectorAll('figure')).toHaveLength(1);
  expect(page.querySelector('p img')?.getAttribute('alt')).toBe('B');
});

it('code that is wider than the page can be scrolled with the keyboard', async () => {
  const page = await rendered('## Say “$&”\n\n```\nmake run\n```');
  const box = page.querySelector('pre[role=region][tabindex="0"]');
  expect(box?.querySelector('code')?.textContent).toBe('make run\n');
  expect(box?.getAttribute('aria-label')).toBe('Code: Say “$&”');
});

it('tags that the site’s policy blocks are reported, in blocks and between words', async () => {
  const { blocked } = await render(
    '<iframe src="x"></iframe>\n\nA <IMG src="x"> here, a `<script>` and <b>words</b>.',
  );
  expect(blocked).toEqual(['iframe', 'img']);
});
