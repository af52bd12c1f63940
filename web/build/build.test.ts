/** The whole build, run as `make` runs it, on changed copies of the content. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { text, unpack } from './pack.ts';
import { paths } from './paths.ts';
import { ContentCopy, samplePost } from './testing/content-copy.ts';

const buildLimit = 120_000;

let copy: ContentCopy;
beforeEach(async () => {
  copy = await ContentCopy.make();
});
afterEach(() => copy.dispose());

const dist = () => join(copy.folder, 'dist');
const sitePack = () => join(dist(), 'site.pack');

function build(): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const env = { ...process.env, FRONTDOOR_CONTENT: copy.content, FRONTDOOR_WEB_DIST: dist() };
  return new Promise((resolve) => {
    execFile(
      'npm',
      ['run', '--silent', 'build'],
      { cwd: paths.web, env, timeout: buildLimit },
      (error, stdout, stderr) => resolve({ code: error ? error.code : 0, stdout, stderr }),
    );
  });
}

describe('the build fails with exit code 1, naming file and field, for', () => {
  it('a mistake in a file', { timeout: buildLimit }, async () => {
    await copy.change('home.toml', /^subtitle = .*$/m, '');
    const { code, stderr } = await build();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^content\/home\.toml: hero\.subtitle: /m);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('links that lead nowhere', { timeout: buildLimit }, async () => {
    await copy.change('layout.toml', /path = "\/services#websites"/, 'path = "/services#webistes"');
    await copy.write('posts/sample.md', samplePost('', 'Read [this](/blog/no-such-post).'));
    const { code, stderr } = await build();
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^content\/layout\.toml: footer\.services\.links\.0\.path: \/services#webistes/m,
    );
    expect(stderr).toMatch(
      /^content\/posts\/sample\.md: body: \/blog\/no-such-post leads to no page/m,
    );
    expect(existsSync(sitePack())).toBe(false);
  });
});

it('one more Markdown file is one more post everywhere', { timeout: buildLimit }, async () => {
  await copy.write('posts/a-sample.md', samplePost('', 'Words of the {site.name} sample.'));
  expect(await build()).toMatchObject({ code: 0, stderr: '' });

  const site = new Map(unpack(await readFile(sitePack())).map((file) => [file.path, text(file)]));
  const page = site.get('/blog/a-sample') ?? '';
  expect(page).toMatch(/<h1[^>]*>A sample post &amp; more</);
  expect(page).toContain('May 17, 2031');
  expect(page).toMatch(/Words of the \w+ sample\./);
  // It is the newest, so the post that was the newest is its only neighbour.
  const neighbours = [...page.matchAll(/href="(\/blog\/[^"#]+)"/g)].map((match) => match[1]);
  expect(new Set(neighbours).size).toBe(1);
  expect(site.get(neighbours[0] ?? '')).toContain('href="/blog/a-sample"');

  expect(site.get('/blog')).toContain('href="/blog/a-sample"');
  expect(site.get('/sitemap.xml')).toMatch(/\/blog\/a-sample<\/loc><lastmod>2031-05-17</);
  expect(site.get('/feed.xml')).toContain('<title>A sample post &amp; more</title>');
  expect(site.get('/llms.txt')).toContain('/blog/a-sample)');

  const picture = /property="og:image" content="https?:\/\/[^/]+(\/og\/[^"]+)"/.exec(page)?.[1];
  expect([...site.keys()]).toContain(picture);
});
