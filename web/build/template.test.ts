import { createHash } from 'node:crypto';
import { Window } from 'happy-dom';
import { describe, expect, it } from 'vitest';
import { cspHash, type Parts, printDocument } from './template.ts';

const parts: Parts = {
  head: '<title data-page>A title</title>',
  body: '<main>Words</main>',
  sharedCss: 'b{color:red}',
  pageCss: 'i{color:blue}',
  fonts: ['/assets/one.woff2', '/assets/two.woff2'],
  release: 'abc',
  script: { loader: 'begin()', entry: '/assets/entry.js' },
  feedTitle: 'News "and" <more>',
  ground: '#010203',
};

function parsed(change: Partial<Parts> = {}) {
  const html = printDocument({ ...parts, ...change });
  return new new Window().DOMParser().parseFromString(html, 'text/html');
}

describe('printDocument', () => {
  it('has the words, the styles and the language in place without any script', () => {
    const page = parsed();
    expect(page.documentElement.lang).toBe('en-CA');
    expect(page.querySelector('#root main')?.textContent).toBe('Words');
    const styles = [...page.querySelectorAll('style')].map((style) => style.textContent);
    expect(styles).toEqual([parts.sharedCss, parts.pageCss]);
    expect(page.title).toBe('A title');
  });

  it('asks for the fonts early and for no style file', () => {
    const page = parsed();
    const preloads = [...page.querySelectorAll('link[rel=preload][as=font][crossorigin]')];
    expect(preloads.map((link) => link.getAttribute('href'))).toEqual(parts.fonts);
    expect(page.querySelector('link[rel=stylesheet]')).toBeNull();
  });

  it('has one script, whose text is the same on every page', () => {
    const scripts = [...parsed().querySelectorAll('script')];
    expect(scripts.map((script) => script.textContent)).toEqual(['begin()']);
    expect(scripts[0]?.getAttribute('data-entry')).toBe('/assets/entry.js');
  });

  it('has no script when there is nothing to bring to life', () => {
    expect(parsed({ script: undefined }).querySelector('script')).toBeNull();
  });

  it('says which release it is of, and which styles are its own', () => {
    const page = parsed();
    expect(page.querySelector('meta[name=release]')?.getAttribute('content')).toBe('abc');
    expect(page.querySelector('style#own')?.textContent).toBe(parts.pageCss);
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
