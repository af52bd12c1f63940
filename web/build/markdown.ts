/** Markdown to HTML, with an id on every heading, tables and code that scroll, photos in several widths, and its links. */
import { Marked, Renderer, type Token } from 'marked';
import type { PictureFile } from '../src/content/types.ts';
import { escapeHtml } from '../src/lib/escape-html.ts';

type MarkdownOptions = {
  /** What screen readers call a table and code. */
  table: string;
  code: string;
  /** The photo of this name; without one, the mistake has been noted. */
  photo: (name: string, alt: string) => Promise<PictureFile | undefined>;
};

/** Ids of elements on the page around the text: a heading must not have the same. */
const reservedIds = [
  'root',
  'page-styles',
  'main',
  'menu',
  'new-tab-note',
  'post-window-title',
  'chat-template',
  'sources',
];

export async function renderMarkdown(markdown: string, { table, code, photo }: MarkdownOptions) {
  const links: string[] = [];
  /** HTML tags that would show nothing: the site's policy blocks what they load. */
  const blocked: string[] = [];
  const photos = new Map<Token, PictureFile>();
  const show = (token: Token, alt: string) => {
    const found = photos.get(token);
    return found ? printPhoto(found, alt) : '';
  };
  const id = unique('-', reservedIds);
  const label = unique(' ');
  let title = '';
  /** Wide tables and code scroll in a box, which needs keyboard focus and a name. */
  const scrollBox = (kind: string) =>
    `role="region" tabindex="0" aria-label="${escapeHtml(label(title ? `${kind}: ${title}` : kind))}"`;
  const marked = new Marked({
    async: true,
    renderer: {
      heading({ tokens, depth, text }) {
        title = this.parser.parseInline(tokens, this.parser.textRenderer);
        const words = this.parser.parseInline(tokens);
        return `<h${depth} id="${id(headingId(text))}">${words}</h${depth}>\n`;
      },
      table(token) {
        return `<div ${scrollBox(table)}>${Renderer.prototype.table.call(this, token)}</div>\n`;
      },
      code(token) {
        const html = Renderer.prototype.code.call(this, token);
        return html.replace('<pre>', () => `<pre ${scrollBox(code)}>`);
      },
      // A photo in its own paragraph is a figure; the text in quotes after its name is the caption.
      paragraph(token) {
        const [only, more] = token.tokens;
        if (only?.type !== 'image' || more) return Renderer.prototype.paragraph.call(this, token);
        const caption = only.title ? `<figcaption>${escapeHtml(only.title)}</figcaption>` : '';
        return `<figure>${show(only, only.text)}${caption}</figure>\n`;
      },
      image: (token) => show(token, token.text),
    },
    walkTokens: async (token) => {
      if (token.type === 'link') links.push(token.href);
      if (token.type === 'html') blocked.push(...blockedTags(token.raw));
      if (token.type !== 'image') return;
      const found = await photo(token.href, token.text);
      if (found) photos.set(token, found);
    },
  });
  return { html: (await marked.parse(markdown)).trim(), links, blocked };
}

export function photosIn(markdown: string): string[] {
  const names: string[] = [];
  const marked = new Marked();
  marked.walkTokens(marked.lexer(markdown), (token) => {
    if (token.type === 'image') names.push(token.href);
  });
  return names;
}

/** The width of the column, and a height that fits a screen; in CSS pixels. */
const largest = { width: 688, height: 640 };

function printPhoto({ src, width, height, sources = [] }: PictureFile, alt: string): string {
  const scale = Math.min(1, largest.width / width, largest.height / height);
  const [wide, high] = [Math.round(width * scale), Math.round(height * scale)];
  const sizes = `(max-width: ${wide + 40}px) calc(100vw - 2.5rem), ${wide}px`;
  const kinds = sources.map(
    ({ type, srcset }) => `<source type="${type}" srcset="${srcset}" sizes="${sizes}">`,
  );
  const image = `<img src="${src}" width="${wide}" height="${high}" alt="${escapeHtml(alt)}" loading="lazy" decoding="async">`;
  return `<picture>${kinds.join('')}${image}</picture>`;
}

const blockedTags = (html: string) =>
  [...html.matchAll(/<(img|picture|video|audio|iframe|object|embed|script|style)\b/gi)].map(
    ([, tag = '']) => tag.toLowerCase(),
  );

/** Letters of every script, with their marks, and digits. */
const headingId = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '') || 'section';

/** The first keeps its name, the next ones get a number after it. */
function unique(separator: string, names: string[] = []): (name: string) => string {
  const used = new Set(names);
  return (name) => {
    let free = name;
    for (let count = 2; used.has(free); count += 1) free = `${name}${separator}${count}`;
    used.add(free);
    return free;
  };
}
