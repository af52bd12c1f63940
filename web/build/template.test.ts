import { Window } from 'happy-dom';
import { expect, it } from 'vitest';
import { cspHash, type Parts, printDocument } from './template.ts';

const parts: Parts = {
  head: '<title data-page>A title</title>',
  body: '<main>Words</main>',
  fontCss: 'b{color:red}',
  css: 'i{color:blue}',
  fonts: ['/assets/one.woff2', '/assets/two.woff2'],
  release: 'abc',
  script: { loader: 'begin()', entry: '/assets/entry.js' },
  feedTitle: 'News "and" <more>',
  ground: '#010203',
};

it('a document has its text and styles, asks for fonts and one script, and names its release', () => {
  const html = printDocument(parts);
  const page = new new Window().DOMParser().parseFromString(html, 'text/html');
  const attributes = (selector: string, name: string) =>
    [...page.querySelectorAll(selector)].map((element) => element.getAttribute(name));
  expect(page.querySelector('#root main')?.textContent).toBe('Words');
  expect([...page.querySelectorAll('style')].map(({ textContent }) => textContent)).toEqual([
    parts.fontCss,
    parts.css,
  ]);
  expect(attributes('link[rel=preload][crossorigin]', 'href')).toEqual(parts.fonts);
  expect(attributes('script', 'data-entry')).toEqual(['/assets/entry.js']);
  expect(attributes('meta[name=release]', 'content')).toEqual(['abc']);
  expect(attributes('[type="application/atom+xml"]', 'title')).toEqual([parts.feedTitle]);
});

it('a document that stays as it is has no script', () => {
  expect(printDocument({ ...parts, script: undefined })).not.toContain('<script');
});

it('cspHash is the base64 SHA-256 of the text', () => {
  expect(cspHash('')).toBe('sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=');
});
