/** @vitest-environment happy-dom */
import { beforeEach, expect, it, vi } from 'vitest';
import { readFirstTouch, rememberFirstTouch } from './first-touch.ts';

function visit(address: string, referrer = '') {
  vi.stubGlobal('location', new URL(address, 'https://site.example'));
  vi.spyOn(document, 'referrer', 'get').mockReturnValue(referrer);
  rememberFirstTouch();
}

beforeEach(() => sessionStorage.clear());

it.each([
  ['/pricing?other=1#top', '', { landing_path: '/pricing' }],
  [
    '/?utm_source=news&utm_medium=mail&utm_campaign=fall&utm_term=&utm_content=a%20b',
    'https://search.example/results?q=private+words',
    {
      landing_path: '/',
      referrer_host: 'search.example',
      utm_source: 'news',
      utm_medium: 'mail',
      utm_campaign: 'fall',
      utm_content: 'a b',
    },
  ],
  ['/contact', 'https://site.example/blog', { landing_path: '/contact' }],
  ['/about', 'not an address', { landing_path: '/about' }],
])('of a visit to %s from "%s" it keeps what is asked for and no more', (...[to, from, touch]) => {
  visit(to, from);
  expect(readFirstTouch()).toEqual(touch);
});
