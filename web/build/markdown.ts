/** Markdown to HTML, with an id on every heading, tables that scroll, and the links it carries. */
import { Marked, Renderer } from 'marked';
import { escapeHtml } from '../src/lib/escape-html.ts';

export type RenderedMarkdown = { html: string; links: string[] };

/** What the pages around a text call their own parts. */
const taken = ['root', 'own', 'main', 'menu', 'new-tab-note', 'post-window-title', 'chat-template'];

/** `table` is what a table is called aloud. */
export function renderMarkdown(markdown: string, table: string): RenderedMarkdown {
  const links: string[] = [];
  const id = unique('-', taken);
  const label = unique(' ');
  let title = '';
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        title = this.parser.parseInline(tokens, this.parser.textRenderer);
        const words = this.parser.parseInline(tokens);
        return `<h${depth} id="${id(headingId(text))}">${words}</h${depth}>\n`;
      },
      // A wide one scrolls in its own box, which the keyboard must reach and a screen reader name.
      table(token) {
        const name = escapeHtml(label(title ? `${table}: ${title}` : table));
        const html = Renderer.prototype.table.call(this, token);
        return `<div role="region" tabindex="0" aria-label="${name}">${html}</div>\n`;
      },
    },
    walkTokens: (token) => {
      if (token.type === 'link' || token.type === 'image') links.push(token.href);
    },
  });
  return { html: marked.parse(markdown, { async: false }).trim(), links };
}

/** Letters of every script, with their marks, and digits. */
const headingId = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '') || 'section';

/** The first keeps its name, the next ones get a number behind it. */
function unique(separator: string, names: string[] = []): (name: string) => string {
  const used = new Set(names);
  return (name) => {
    let free = name;
    for (let count = 2; used.has(free); count += 1) free = `${name}${separator}${count}`;
    used.add(free);
    return free;
  };
}
