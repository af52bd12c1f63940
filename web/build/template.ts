/** The HTML around a rendered page: everything its first paint needs, nothing that blocks it. */
import { createHash } from 'node:crypto';
import { escapeHtml } from '../src/lib/escape-html.ts';

export type Parts = {
  head: string;
  body: string;
  /** The rules of the fonts, which stay, and those of the page, which a client navigation exchanges. */
  fontCss: string;
  css: string;
  fonts: string[];
  /** Pages of one release fit together; others are loaded anew. */
  release: string;
  /** A page without a script stays as it is. */
  script: { loader: string; entry: string } | undefined;
  feedTitle: string;
  ground: string;
};

export function printDocument(parts: Parts): string {
  const { head, body, fontCss, css, fonts, release, script, feedTitle, ground } = parts;
  return [
    '<!doctype html><html lang="en-CA"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    head,
    `<meta name="color-scheme" content="dark"><meta name="theme-color" content="${ground}">`,
    `<meta name="release" content="${release}">`,
    ...fonts.map(
      (url) => `<link rel="preload" href="${url}" as="font" type="font/woff2" crossorigin>`,
    ),
    `<style>${fontCss}</style><style id="page-styles">${css}</style>`,
    '<link rel="icon" href="/favicon.ico" sizes="32x32"><link rel="icon" href="/favicon.svg" type="image/svg+xml">',
    '<link rel="apple-touch-icon" href="/apple-touch-icon.png"><link rel="manifest" href="/site.webmanifest">',
    `<link rel="alternate" type="application/atom+xml" href="/feed.xml" title="${escapeHtml(feedTitle)}">`,
    script ? `<script data-entry="${script.entry}">${script.loader}</script>` : '',
    `</head><body><div id="root">${body}</div></body></html>`,
  ].join('');
}

export const cspHash = (text: string) =>
  `sha256-${createHash('sha256').update(text).digest('base64')}`;
