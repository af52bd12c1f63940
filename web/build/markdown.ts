/** Markdown to HTML, with an id on every heading and the links it carries. */
import { Marked } from 'marked';

export type RenderedMarkdown = { html: string; links: string[] };

export function renderMarkdown(markdown: string): RenderedMarkdown {
  const links: string[] = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${headingId(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
    },
    walkTokens: (token) => {
      if (token.type === 'link' || token.type === 'image') links.push(token.href);
    },
  });
  return { html: marked.parse(markdown, { async: false }).trim(), links };
}

const headingId = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
