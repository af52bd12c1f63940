import { expect, it } from 'vitest';
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

it('a title is followed by the name of the site if search engines show both', () => {
  expect(pageTitle('About')).toBe(`About · ${site.name}`);
  const long = 'x'.repeat(60 - site.name.length - 3);
  expect(pageTitle(long)).toHaveLength(60);
  expect(pageTitle(`${long}x`)).toBe(`${long}x`);
});

it('a head escapes what could end an attribute or a tag', () => {
  const head = printHead({ ...page, title: 'A "b" <c> & d', description: '"><script>' });
  expect(head).toContain('>A &quot;b&quot; &lt;c&gt; &amp; d</title>');
  expect(head).toContain('content="&quot;&gt;&lt;script&gt;"');
  expect(head).not.toContain('"><script>"');
});

it('a head keeps texts from ending the structured data early', () => {
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
