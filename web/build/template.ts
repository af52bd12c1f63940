/** The HTML around a rendered page: everything its first paint needs, nothing that blocks it. */
import { createHash } from 'node:crypto';
import { escapeHtml } from '../src/lib/escape-html.ts';

export type Parts = {
  head: string;
  body: string;
  css: string;
  fonts: string[];
  /** Style files whose rules are already in `css`. */
  styles: string[];
  /** Scripts that bring the page to life; none: it stays as it is. */
  modules: string[];
  feedTitle: string;
};

/**
 * Notes how the visit began, which a visitor may leave too soon for any other
 * script to see (`src/lib/first-touch.ts`). Then asks for the scripts, once
 * the page has been painted and is idle; some browsers do not tell of the
 * paint, or never. So long the manifest is kept from the browser, which would
 * fetch it beside the fonts. The scripts' names come from an attribute, so that
 * the text, and with it its hash, is the same on every page.
 */
export const loader =
  "try{sessionStorage.landing||=JSON.stringify([location.href,document.referrer.split('/')[2]])}catch{}" +
  "(s=>{const d=document,f=d.querySelector('[rel=manifest]')," +
  "go=()=>{d.head.append(f);s.dataset.modules.split(' ').forEach(m=>import(m))}," +
  "rest=()=>'requestIdleCallback'in self?requestIdleCallback(go,{timeout:1500}):setTimeout(go,50)," +
  "O=self.PerformanceObserver;f.remove();O?.supportedEntryTypes?.includes('paint')?" +
  "new O((l,o)=>{l.getEntriesByName('first-contentful-paint')[0]&&(o.disconnect(),rest())}).observe({type:'paint',buffered:!0}):" +
  'requestAnimationFrame(rest);setTimeout(rest,3e3)})(document.currentScript)';

export function printDocument(parts: Parts): string {
  const { head, body, css, fonts, styles, modules, feedTitle } = parts;
  return [
    '<!doctype html><html lang="en-CA"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    head,
    '<meta name="color-scheme" content="dark"><meta name="theme-color" content="#09080f">',
    ...fonts.map(
      (url) => `<link rel="preload" href="${url}" as="font" type="font/woff2" crossorigin>`,
    ),
    `<style>${css}</style>`,
    // Disabled, so never fetched: tells the module loader that their rules are here already.
    ...styles.map((url) => `<link rel="stylesheet" href="${url}" disabled>`),
    '<link rel="icon" href="/favicon.ico" sizes="32x32"><link rel="icon" href="/favicon.svg" type="image/svg+xml">',
    '<link rel="apple-touch-icon" href="/apple-touch-icon.png"><link rel="manifest" href="/site.webmanifest">',
    `<link rel="alternate" type="application/atom+xml" href="/feed.xml" title="${escapeHtml(feedTitle)}">`,
    `</head><body><div id="root">${body}</div>`,
    modules.length > 0 ? `<script data-modules="${modules.join(' ')}">${loader}</script>` : '',
    '</body></html>',
  ].join('');
}

/** A source expression for the Content-Security-Policy. */
export const cspHash = (text: string) =>
  `sha256-${createHash('sha256').update(text).digest('base64')}`;
