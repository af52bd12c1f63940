import { expect, it } from 'vitest';
import { checkLinks, type RenderedPage } from './links.ts';

const home = { path: '/', html: '<section id="contact"></section><a href="/services#web">x</a>' };
const services = { path: '/services', html: '<section id="web"></section><h2 id="café"></h2>' };

const check = (pages: RenderedPage[], ...targets: string[]) => {
  const links = targets.map((target) => ({ file: 'home.toml', field: 'hero.path', target }));
  const mistakes = checkLinks(pages, new Set(['/feed.xml']), links);
  return mistakes.map(({ file, field, message }) => `${file}: ${field}: ${message}`);
};

it.each(['/#contact', '/services?from=x#web', '/services#caf%C3%A9', '/feed.xml'])(
  'the link %s leads somewhere',
  (target) => expect(check([home, services], target)).toEqual([]),
);

it.each([
  ['<a href="/gone">x</a>', 'link: /gone leads to no page'],
  ['<img src="/assets/gone.svg">', 'link: /assets/gone.svg leads to no page'],
  ['<form action="/gone"></form>', 'link: /gone leads to no page'],
  [
    '<a href="#gone">x</a>',
    'link: /services#gone: the page /services has no section with the id gone',
  ],
  ['<p id="a"></p><p id="a"></p>', 'id: two elements have the id a'],
])('a page with %s is reported', (html, message) => {
  const broken = { path: '/services', html: services.html + html };
  expect(check([home, broken])).toEqual([`/services: ${message}`]);
});

it.each([
  '<a href="https://x.example/gone">',
  '<form action="/api/contacts">',
  '<a href="mailto:a@b.c">',
])('%s isn’t checked', (html) =>
  expect(check([home, { path: '/services', html: services.html + html }])).toEqual([]),
);

it('another page must link to every listed page', () => {
  const unlinked = { path: '/faq', html: '<a href="/faq">x</a>', listed: true };
  expect(check([home, services, unlinked])).toEqual([
    '/faq: page: no link of another page leads to it',
  ]);
  const linked = { ...home, html: `${home.html}<a href="/faq?x=1">x</a>` };
  expect(check([linked, services, unlinked])).toEqual([]);
  expect(check([home, services, { ...unlinked, listed: false }])).toEqual([]);
});
