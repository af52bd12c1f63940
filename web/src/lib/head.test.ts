import site from 'content:site';
import { beforeEach, describe, expect, it } from 'vitest';
import { absoluteUrl } from './absolute-url.ts';
import { applyHead, type PageMeta, printHead } from './head.ts';

const page: PageMeta = {
  path: '/about',
  title: 'About',
  description: 'Who we are',
  picture: { name: 'about', title: 'About us', kicker: 'About' },
  index: true,
  structuredData: [{ '@type': 'Thing', name: 'One' }],
};
const post: PageMeta = {
  ...page,
  path: '/blog/a-post',
  title: 'A post',
  article: { published: '2026-10-01', author: 'We', categories: ['One', 'Two'] },
  structuredData: [{ '@type': 'BlogPosting' }, { '@type': 'BreadcrumbList' }],
};

const attribute = (selector: string, name: string) =>
  document.head.querySelector(selector)?.getAttribute(name);

describe('printHead', () => {
  it('escapes what could end an attribute or a tag', () => {
    const head = printHead({ ...page, title: 'A "b" <c> & d', description: '"><script>' });
    expect(head).toContain('>A &quot;b&quot; &lt;c&gt; &amp; d</title>');
    expect(head).toContain('content="&quot;&gt;&lt;script&gt;"');
    expect(head).not.toContain('"><script>"');
  });

  it('lets no text end the structured data early', () => {
    const name = '</script><script>alert(1)</script>';
    const head = printHead({ ...page, structuredData: [{ '@type': 'Thing', name }] });
    expect(head.match(/<\/script>/g)).toHaveLength(1);
    const json = /ld\+json">(.*)<\/script>/.exec(head)?.[1] ?? '';
    expect(JSON.parse(json)).toEqual({
      '@context': 'https://schema.org',
      '@type': 'Thing',
      name,
    });
  });

  it('gives a page for search engines an address, any other a noindex', () => {
    expect(printHead(page)).toContain(`rel="canonical" href="${site.url}/about"`);
    expect(printHead(page)).not.toContain('noindex');
    const hidden = printHead({ ...page, index: false });
    expect(hidden).toContain('name="robots" content="noindex"');
    expect(hidden).not.toContain('canonical');
  });

  it('says when an article was published, and about what', () => {
    const head = printHead(post);
    expect(head).toContain('property="og:type" content="article"');
    expect(head).toContain('property="article:published_time" content="2026-10-01"');
    expect(head.match(/article:tag/g)).toHaveLength(2);
    expect(printHead(page)).not.toContain('article:');
  });
});

describe('applyHead', () => {
  beforeEach(() => {
    const kept = '<meta charset="utf-8"><link rel="icon" href="/favicon.ico">';
    document.head.innerHTML = kept + printHead(page);
  });

  it('leaves one of each tag, with the words of the new page', () => {
    applyHead(post);
    applyHead({ ...page, title: 'Third' });
    applyHead(post);
    expect(document.title).toBe('A post');
    expect(attribute('link[rel=canonical]', 'href')).toBe(absoluteUrl('/blog/a-post'));
    const names = [...document.head.querySelectorAll('meta')]
      .map((meta) => meta.getAttribute('name') ?? meta.getAttribute('property'))
      .filter((name) => name !== 'article:tag');
    expect(names).toEqual([...new Set(names)]);
    for (const tag of ['title', 'link[rel=canonical]', 'link[rel=icon]', 'meta[charset]']) {
      expect(document.head.querySelectorAll(tag), tag).toHaveLength(1);
    }
    expect(document.head.querySelectorAll('script')).toHaveLength(2);
  });

  it('makes the same head as the build', () => {
    applyHead(post);
    const applied = [...document.head.querySelectorAll('[data-page]')].map(
      (node) => node.outerHTML,
    );
    document.head.innerHTML = printHead(post);
    const printed = [...document.head.querySelectorAll('[data-page]')].map(
      (node) => node.outerHTML,
    );
    expect(applied).toEqual(printed);
  });

  it('takes a noindex away with its page', () => {
    applyHead({ ...page, index: false });
    expect(attribute('meta[name=robots]', 'content')).toBe('noindex');
    expect(attribute('link[rel=canonical]', 'href')).toBeUndefined();
    applyHead(page);
    expect(document.head.querySelector('meta[name=robots]')).toBeNull();
  });
});
