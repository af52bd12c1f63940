/**
 * The whole build, run as `make` runs it, on changed copies of the content. The first one finds
 * nothing kept from a build before, the others what it has left.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { paths } from './paths.ts';
import { ContentCopy, samplePost } from './testing/content-copy.ts';

const buildLimit = 120_000;

type Outcome = { code: unknown; stdout: string; stderr: string };

let folder: string;
let copy: ContentCopy;
let first: Outcome;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'build-'));
  copy = await ContentCopy.make();
  await copy.write('posts/a-sample.md', samplePost('', 'Words of the {site.name} sample.'));
  const service = (await copy.read('services/ai-chatbots.toml'))
    .replace('id = "ai-chatbots"', 'id = "a-fourth"')
    .replace('anchor = "chatbots"', 'anchor = "fourth"')
    .replace('footer_label = "Chatbots"', 'footer_label = "The fourth"');
  await copy.write('services/a-fourth.toml', service);
  first = await build('first');
}, buildLimit);
afterAll(async () => {
  await copy.dispose();
  await rm(folder, { recursive: true });
});

const dist = (name: string) => join(folder, name);
const built = (file: string) => readFile(join(dist('first'), file), 'utf8');

function build(name: string): Promise<Outcome> {
  const env = {
    ...process.env,
    FRONTDOOR_CONTENT: copy.content,
    FRONTDOOR_WEB_DIST: dist(name),
    FRONTDOOR_WEB_CACHE: join(folder, 'cache'),
  };
  return new Promise((resolve) => {
    execFile(
      'npm',
      ['run', '--silent', 'build'],
      { cwd: paths.web, env, timeout: buildLimit },
      (error, stdout, stderr) => resolve({ code: error ? error.code : 0, stdout, stderr }),
    );
  });
}

/** Each file of a build with the hash of its bytes. */
function files(name: string): Record<string, string> {
  const entries = readdirSync(dist(name), { recursive: true, withFileTypes: true });
  const found = entries
    .filter((entry) => entry.isFile())
    .map((file) => join(file.parentPath, file.name));
  const hash = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
  return Object.fromEntries(found.map((path) => [relative(dist(name), path), hash(path)]));
}

it('one more file is one more post, or one more service, everywhere', async () => {
  expect(first).toMatchObject({ code: 0, stderr: '' });

  const page = await built('pages/blog/a-sample.html');
  expect(page).toMatch(/<h1[^>]*>A sample post &amp; more</);
  expect(page).toContain('May 17, 2031');
  expect(page).toMatch(/Words of the \w+ sample\./);
  // It is the newest, so the post that was the newest is its only neighbour.
  const neighbours = [...page.matchAll(/href="(\/blog\/[^"#]+)"/g)].map((match) => match[1]);
  expect(new Set(neighbours).size).toBe(1);
  const neighbour = await built(`pages${neighbours[0]}.html`);
  expect(neighbour).toContain('href="/blog/a-sample"');

  expect(await built('pages/blog.html')).toContain('href="/blog/a-sample"');
  expect(await built('sitemap.xml')).toMatch(/\/blog\/a-sample<\/loc><lastmod>2031-05-17</);
  expect(await built('feed.xml')).toContain('<title>A sample post &amp; more</title>');
  expect(await built('llms.txt')).toContain('/blog/a-sample)');

  expect(await built('pages/index.html')).toContain('href="/services#a-fourth"');
  expect(page).toContain('<a href="/services#fourth">The fourth</a>');
  expect(await built('pages/services.html')).toMatch(/<section id="a-fourth"/);

  const picture = /property="og:image" content="https?:\/\/[^/]+(\/og\/[^"]+)"/.exec(page)?.[1];
  const { files } = JSON.parse(await built('manifest.json'));
  const served = files.map((file: { path: string }) => file.path);
  expect(served).toEqual(expect.arrayContaining(['/blog/a-sample', picture]));
});

it('what is kept from the build before changes no byte', { timeout: buildLimit }, async () => {
  expect(await build('second')).toMatchObject({ code: 0, stderr: '' });
  expect(Object.keys(files('first')).length).toBeGreaterThan(200);
  expect(files('second')).toEqual(files('first'));
});

describe('the build fails with exit code 1, naming file and field, for', () => {
  it('links that lead nowhere', { timeout: buildLimit }, async () => {
    await copy.change('home.toml', /path = "\/services"/, 'path = "/services#webistes"');
    await copy.write('posts/sample.md', samplePost('', 'Read [this](/blog/no-such-post).'));
    const { code, stderr } = await build('failed');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^content\/home\.toml: hero\.secondary\.path: \/services#webistes/m);
    expect(stderr).toMatch(
      /^content\/posts\/sample\.md: body: \/blog\/no-such-post leads to no page/m,
    );
    expect(existsSync(join(dist('failed'), 'manifest.json'))).toBe(false);
  });

  it('a mistake in a file', { timeout: buildLimit }, async () => {
    await copy.change('home.toml', /^subtitle = .*$/m, '');
    const { code, stderr } = await build('failed');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^content\/home\.toml: hero\.subtitle: /m);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});
