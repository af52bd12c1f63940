/** @vitest-environment happy-dom */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { fetchPage } from './fetch-page.ts';

const asked: string[] = [];
let answer: (path: string) => Response;

const html = (version = 'one') =>
  `<meta name="pages-version" content="${version}"><style id="page-styles"></style><main></main>`;

beforeEach(() => {
  asked.length = 0;
  answer = () => new Response(html());
  document.head.innerHTML = '<meta name="pages-version" content="one">';
  vi.stubGlobal('fetch', async (path: string) => {
    asked.push(path);
    return answer(path);
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  document.head.replaceChildren();
});

it('fetches a page once, however often it is wanted', async () => {
  await Promise.all([fetchPage('/once'), fetchPage('/once')]);
  await fetchPage('/once');
  expect(asked).toEqual(['/once']);
});

it.each([
  ['is missing', () => new Response('', { status: 404 })],
  ['is broken', () => new Response('', { status: 503 })],
  ['is of another version', () => new Response(html('two'))],
  ['is no page of ours', () => new Response('<p>hello')],
])('one that %s is refused, and fetched again the next time', async (what, wrong) => {
  answer = wrong;
  await expect(fetchPage(`/wrong ${what}`)).rejects.toThrow();
  answer = () => new Response(html());
  await expect(fetchPage(`/wrong ${what}`)).resolves.toBeDefined();
});

it('keeps eight, and forgets the one that was used longest ago', async () => {
  for (let page = 0; page < 8; page += 1) await fetchPage(`/kept/${page}`);
  await fetchPage('/kept/0');
  await fetchPage('/kept/8');
  asked.length = 0;
  await fetchPage('/kept/0');
  expect(asked).toEqual([]);
  await fetchPage('/kept/1');
  expect(asked).toEqual(['/kept/1']);
});
