import { describe, expect, it } from 'vitest';
import { frozenContent } from '../../build/testing/content-copy.ts';
import type { PageMeta } from './head.ts';
import * as heads from './head.ts';

const { site } = await frozenContent();
const pageTitle = (title: string) => heads.pageTitle(site, title);
const printHead = (meta: PageMeta) => heads.printHead(site, meta);

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
  article: {
    published: '2026-10-01',
    updated: '2026-10-09',
    categories: ['One', 'Two'],
  },
  structuredData: [{ '@type': 'BlogPosting' }, { '@type': 'BreadcrumbList' }],
};

it('a title is followed by the name of the site if search engines show both', () => {
  expect(pageTitle('About')).toBe(`About · ${site.name}`);
  const long = 'x'.repeat(60 - site.name.length - 3);
  expect(pageTitle(long)).toHaveLength(60);
  expect(pageTitle(`${long}x`)).toBe(`${long}x`);
});

describe('printHead', () => {
  it('escapes what could end an attribute or a tag', () => {
    const head = printHead({ ...page, title: 'A "b" <c> & d', description: '"><script>' });
    expect(head).toContain('>A &quot;b&quot; &lt;c&gt; &amp; d</title>');
    expect(head).toContain('content="&quot;&gt;&lt;script&gt;"');
    expect(head).not.toContain('"><script>"');
  });

  it('keeps texts from ending the structured data early', () => {
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

  it('says when an article was published and changed, and about what', () => {
    const head = printHead(post);
    expect(head).toContain('property="og:type" content="article"');
    expect(head).toContain('property="article:published_time" content="2026-10-01"');
    expect(head).toContain('property="article:modified_time" content="2026-10-09"');
    expect(head.match(/article:tag/g)).toHaveLength(2);
    expect(printHead(page)).not.toContain('article:');
  });
});
