/** The HTML around a rendered page: everything that its first paint needs, and nothing that delays it. */
import { createHash } from 'node:crypto';
import type { Site } from '../src/content/types.ts';
import { escapeHtml } from '../src/lib/escape-html.ts';
import { backgroundColour } from './recolour.ts';

type Parts = {
  head: string;
  body: string;
  css: string;
  fonts: { css: string; urls: string[] };
  /** A page of another version is loaded as a document. */
  pagesVersion: string;
  /** Pages that the server fills in have none. */
  script?: { loader: string; entry: string } | undefined;
  site: Site;
};

/** The rules of the fonts stay; a client navigation exchanges those of the page. */
export function printDocument(parts: Parts): string {
  const { head, body, css, fonts, pagesVersion, script, site } = parts;
  return [
    '<!doctype html><html lang="en-CA"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    head,
    `<meta name="color-scheme" content="dark"><meta name="theme-color" content="${backgroundColour(site.brand)}">`,
    `<meta name="pages-version" content="${pagesVersion}">`,
    ...fonts.urls.map(
      (url) => `<link rel="preload" href="${url}" as="font" type="font/woff2" crossorigin>`,
    ),
    `<style>${fonts.css}</style><style id="page-styles">${css}</style>`,
    '<link rel="icon" href="/favicon.ico" sizes="32x32"><link rel="icon" href="/favicon.svg" type="image/svg+xml">',
    '<link rel="apple-touch-icon" href="/apple-touch-icon.png"><link rel="manifest" href="/site.webmanifest">',
    `<link rel="alternate" type="application/atom+xml" href="/feed.xml" title="${escapeHtml(site.name)}">`,
    script ? `<script data-entry="${script.entry}">${script.loader}</script>` : '',
    `</head><body><div id="root">${body}</div></body></html>`,
  ].join('');
}

export const cspHash = (text: string) =>
  `sha256-${createHash('sha256').update(text).digest('base64')}`;
