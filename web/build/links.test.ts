import { describe, expect, it } from 'vitest';
import type { InternalLink } from './content-reader.ts';
import { checkLinks, type RenderedPage } from './links.ts';

const home = { path: '/', html: '<section id="contact"></section><a href="/services#web">x</a>' };
const services = {
  path: '/services',
  html: '<section id="web"></section><h2 id="café"></h2>',
};
const files = new Set(['/feed.xml', '/assets/a.svg']);

const check =
  (pages: RenderedPage[], links: InternalLink[] = []) =>
  () =>
    checkLinks(pages, files, links);
const fromContent = (target: string): InternalLink => ({
  file: 'home.toml',
  field: 'hero.path',
  target,
});

describe('checkLinks', () => {
  it.each([
    '/',
    '/#contact',
    '/services',
    '/services#web',
    '/services?from=x#web',
    '/services#caf%C3%A9',
    '/feed.xml',
  ])('follows %s', (target) =>
    expect(check([home, services], [fromContent(target)])).not.toThrow(),
  );

  it('names file and field of a link from content that leads nowhere', () => {
    expect(check([home, services], [fromContent('/servces')])).toThrow(
      'content/home.toml: hero.path: /servces leads to no page',
    );
  });

  it('names file and field of a link to a section that is not there', () => {
    expect(check([home, services], [fromContent('/services#wob')])).toThrow(
      'content/home.toml: hero.path: /services#wob: the page /services has no section with the id wob',
    );
  });

  it('reports all of them', () => {
    const both = check([home, services], [fromContent('/a'), fromContent('/b')]);
    expect(both).toThrow(/\/a leads to no page\n.*\/b leads to no page/);
  });

  it.each([
    ['<a href="/gone">x</a>', '/gone leads to no page'],
    ['<img src="/assets/gone.svg">', '/assets/gone.svg leads to no page'],
    ['<form action="/gone"></form>', '/gone leads to no page'],
    ['<a href="#gone">x</a>', '/services#gone: the page /services has no section with the id gone'],
  ])('names the page on which %s stands', (html, message) => {
    const broken = { path: '/services', html: services.html + html };
    expect(check([home, broken])).toThrow(`/services: link: ${message}`);
  });

  it.each([
    '<a href="https://x.example/gone">',
    '<form action="/api/contacts">',
    '<a href="mailto:a@b.c">',
  ])('leaves %s alone', (html) =>
    expect(check([home, { path: '/services', html: services.html + html }])).not.toThrow(),
  );

  it('asks for a link to every listed page, from another one', () => {
    const unlinked = { path: '/faq', html: '<a href="/faq">x</a>', listed: true };
    expect(check([home, services, unlinked])).toThrow(
      '/faq: page: no link of another page leads to it',
    );
    const linked = { ...home, html: `${home.html}<a href="/faq?x=1">x</a>` };
    expect(check([linked, services, unlinked])).not.toThrow();
    expect(check([home, services, { ...unlinked, listed: false }])).not.toThrow();
  });

  it.each([
    ['<p id="a"></p><p id="a"></p>', 'id: two elements have the id a'],
    ['<p aria-labelledby="a"></p>', 'label: no element has the id a'],
    ['<p aria-describedby="a"></p>', 'label: no element has the id a'],
  ])('refuses %s', (html, message) => {
    const broken = { path: '/services', html: services.html + html };
    expect(check([home, broken])).toThrow(`/services: ${message}`);
  });
});
