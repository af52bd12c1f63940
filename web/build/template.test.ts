import { createHash } from 'node:crypto';
import { Window } from 'happy-dom';
import { describe, expect, it } from 'vitest';
import { cspHash, loader, type Parts, printDocument } from './template.ts';

const parts: Parts = {
  head: '<title data-page>A title</title>',
  body: '<main>Words</main>',
  css: 'b{color:red}',
  fonts: ['/assets/one.woff2', '/assets/two.woff2'],
  styles: ['/assets/page.css'],
  modules: ['/assets/entry.js', '/assets/page.js'],
  feedTitle: 'News "and" <more>',
};

function parsed(change: Partial<Parts> = {}) {
  const html = printDocument({ ...parts, ...change });
  return new new Window().DOMParser().parseFromString(html, 'text/html');
}

describe('printDocument', () => {
  it('has the words, the styles and the language in place before any script', () => {
    const page = parsed();
    expect(page.documentElement.lang).toBe('en-CA');
    expect(page.querySelector('#root main')?.textContent).toBe('Words');
    expect(page.querySelector('style')?.textContent).toBe(parts.css);
    expect(page.title).toBe('A title');
  });

  it('asks for the fonts early and for no style file', () => {
    const page = parsed();
    const preloads = [...page.querySelectorAll('link[rel=preload][as=font][crossorigin]')];
    expect(preloads.map((link) => link.getAttribute('href'))).toEqual(parts.fonts);
    const sheets = [...page.querySelectorAll('link[rel=stylesheet]')];
    expect(sheets.map((sheet) => sheet.hasAttribute('disabled'))).toEqual([true]);
  });

  it('has one script, whose text is the same on every page', () => {
    const scripts = [...parsed().querySelectorAll('script')];
    expect(scripts.map((script) => script.textContent)).toEqual([loader]);
    expect(scripts[0]?.getAttribute('data-modules')).toBe('/assets/entry.js /assets/page.js');
  });

  it('has no script when there is nothing to bring to life', () => {
    expect(parsed({ modules: [] }).querySelector('script')).toBeNull();
  });

  it('escapes the name in the link to the feed', () => {
    const feed = parsed().querySelector('link[type="application/atom+xml"]');
    expect(feed?.getAttribute('title')).toBe(parts.feedTitle);
  });
});

it('cspHash is the base64 SHA-256 of the text', () => {
  const hex = createHash('sha256').update('b{}').digest('hex');
  expect(cspHash('b{}')).toBe(`sha256-${Buffer.from(hex, 'hex').toString('base64')}`);
});
