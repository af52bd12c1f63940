import { beforeEach, describe, expect, it, vi } from 'vitest';
import { readFirstTouch, rememberFirstTouch } from './first-touch.ts';

function visit(address: string, referrer = '') {
  vi.stubGlobal('location', new URL(address, 'https://site.example'));
  vi.spyOn(document, 'referrer', 'get').mockReturnValue(referrer);
  rememberFirstTouch();
}

beforeEach(() => sessionStorage.clear());

describe('the first touch', () => {
  it('is the landing path alone when nothing else is known', () => {
    visit('/pricing?other=1#top');
    expect(readFirstTouch()).toEqual({ landing_path: '/pricing' });
  });

  it('names the other site, not the page there', () => {
    visit('/', 'https://search.example/results?q=private+words');
    expect(readFirstTouch()).toEqual({ landing_path: '/', referrer_host: 'search.example' });
  });

  it('takes all five campaign tags and leaves empty ones', () => {
    visit('/?utm_source=news&utm_medium=mail&utm_campaign=fall&utm_term=&utm_content=a%20b');
    expect(readFirstTouch()).toEqual({
      landing_path: '/',
      utm_source: 'news',
      utm_medium: 'mail',
      utm_campaign: 'fall',
      utm_content: 'a b',
    });
  });

  it('is the page that was left before its script came', () => {
    const landing = ['https://site.example/blog?utm_source=news', 'search.example'];
    sessionStorage.setItem('landing', JSON.stringify(landing));
    visit('/contact?utm_source=later', 'https://site.example/blog');
    expect(readFirstTouch()).toEqual({
      landing_path: '/blog',
      referrer_host: 'search.example',
      utm_source: 'news',
    });
  });

  it('stays what it was for the rest of the visit', () => {
    visit('/blog?utm_source=news');
    visit('/contact?utm_source=other', 'https://elsewhere.example/');
    expect(readFirstTouch()).toEqual({ landing_path: '/blog', utm_source: 'news' });
  });

  it('does not call the site itself a referrer, and survives an odd one', () => {
    visit('/contact', 'https://site.example/blog');
    expect(readFirstTouch()).toEqual({ landing_path: '/contact' });
    sessionStorage.clear();
    visit('/about', 'not an address');
    expect(readFirstTouch()).toEqual({ landing_path: '/about' });
  });
});
