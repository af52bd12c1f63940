/** The whole build, as `make` runs it, on changed copies of the tests' content: first with an empty cache, then with a full one. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { text, unpack, unpackRelease } from './pack.ts';
import { paths } from './paths.ts';
import { ContentCopy, samplePost } from './testing/content-copy.ts';
import { frozen } from './testing/frozen.ts';
import { phonePhoto } from './testing/photo.ts';
import { widePost } from './testing/wide-post.ts';

/** An owner may have many photos. */
const buildLimit = 600_000;

type Outcome = { code: unknown; stdout: string; stderr: string };

let folder: string;
const copy = new ContentCopy();
let first: Outcome;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'build-'));
  await copy.begin();
  await copy.write('posts/a photo.jpg', await phonePhoto({ height: 400 }));
  const picture = 'picture = { file = "a photo.jpg", alt = "What it shows" }';
  const words = 'Words of the {site.name} sample.\n\n![The same](a%20photo.jpg)';
  const sample = samplePost(picture, words).replace('2031-05-17', '2026-11-06');
  await copy.write('posts/a-sample.md', sample);
  await copy.write('posts/wide-post.md', widePost);
  await copy.write('posts/to-come.md', samplePost('', 'Read [this](/blog/to-come).'));
  const service = (await copy.read('services/ai-chatbots.toml'))
    .replace('id = "ai-chatbots"', 'id = "a-fourth"')
    .replace('anchor = "chatbots"', 'anchor = "fourth"')
    .replace('footer_label = "Chatbots"', 'footer_label = "The fourth"');
  await copy.write('services/a-fourth.toml', service);
  const drawing =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><circle cx="20" cy="10" r="10" fill="#012345"/></svg>';
  await copy.write('own.svg', drawing);
  await copy.change('site.toml', /^phone = .*$/m, '');
  // The look's own colours are far from these, in hue and in lightness.
  const brand = '[brand]\nmark = "own.svg"\naccent = "#facc15"\nhighlight = "#1d4ed8"\n';
  await copy.write('site.toml', `${await copy.read('site.toml')}\n${brand}`);
  first = await build(frozen.own);
}, buildLimit);
afterAll(async () => {
  await copy.dispose();
  await rm(folder, { recursive: true });
});

const build = (dist: string) =>
  buildWith({
    SOURCE_DATE_EPOCH: String(Date.UTC(2026, 10, 18, 12) / 1000),
    FRONTDOOR_CONTENT: copy.content,
    FRONTDOOR_WEB_DIST: dist,
    FRONTDOOR_WEB_CACHE: join(folder, 'cache'),
  });

function buildWith(settings: Record<string, string>): Promise<Outcome> {
  const env = { ...process.env, ...settings };
  return new Promise((resolve) => {
    execFile(
      'npm',
      ['run', '--silent', 'build'],
      { cwd: paths.web, env, timeout: buildLimit },
      (error, stdout, stderr) => resolve({ code: error ? error.code : 0, stdout, stderr }),
    );
  });
}

/** The files of the first edition, and the paths of those that match the pattern. */
const files = async () => unpack(await readFile(join(frozen.own, 'site.pack')));
const wherever = async (pattern: RegExp) =>
  (await files())
    .filter((file) => /text|svg|manifest/.test(file.type) && pattern.test(text(file)))
    .map(({ path }) => path);
const texts = async () => new Map((await files()).map((file) => [file.path, text(file)]));

it('the content at hand builds', { timeout: buildLimit }, async () => {
  const { code, stderr } = await buildWith({ FRONTDOOR_WEB_DIST: join(folder, 'at-hand') });
  expect(code, stderr).toBe(0);
});

it('with the owner’s colours none of the original ones is left', async () => {
  // Most of them are made of these shades.
  expect(await wherever(/#8b5cf6|#d6c8ff|#b79bff|#09080f|#ff9a62/i)).toEqual([]);
  expect(await wherever(/#0b0904/i)).toContain('/site.webmanifest');
});

it('the drawings with a mark show the owner’s', async () => {
  const names = (await wherever(/#012345/)).map(
    (path) => /^\/assets\/(.+)-.{8}\.svg$/.exec(path)?.[1],
  );
  expect(names).toEqual(
    expect.arrayContaining(['ai-chatbots', 'ai-chatbots-card', 'mark', 'post-ai-chatbots-convert']),
  );
});

it('a phone number that is left out is nowhere on the site', async () => {
  // The form still asks visitors for theirs.
  expect(await wherever(/href="tel:|"telephone"|^- Phone: /m)).toEqual([]);
});

it('one more file is one more post, or one more service, everywhere', async () => {
  expect(first).toMatchObject({ code: 0, stderr: '' });

  const site = await texts();
  const page = site.get('/blog/a-sample') ?? '';
  expect(page).toMatch(/<h1[^>]*>A sample post &amp; more</);
  expect(page).toContain('November 6, 2026');
  expect(page).toMatch(/Words of the \w+ sample\./);
  // It is the newest, so the post that was the newest is its only neighbour.
  const neighbours = [...page.matchAll(/href="(\/blog\/[^"#]+)"/g)].map((match) => match[1]);
  expect(new Set(neighbours).size).toBe(1);
  expect(site.get(neighbours[0] ?? '')).toContain('href="/blog/a-sample"');

  expect(site.get('/blog')).toContain('href="/blog/a-sample"');
  expect(site.get('/sitemap.xml')).toMatch(/\/blog\/a-sample<\/loc><lastmod>2026-11-06</);
  expect(site.get('/feed.xml')).toContain('<title>A sample post &amp; more</title>');
  expect(site.get('/llms.txt')).toContain('/blog/a-sample)');

  expect(site.get('/')).toContain('href="/services#a-fourth"');
  expect(page).toContain('<a href="/services#fourth">The fourth</a>');
  expect(site.get('/services')).toMatch(/<section id="a-fourth"/);

  const picture = /property="og:image" content="https?:\/\/[^/]+(\/og\/[^"]+)"/.exec(page)?.[1];
  expect([...site.keys()]).toContain(picture);
});

it('every date follows SOURCE_DATE_EPOCH', async () => {
  const site = await texts();
  expect(site.get('/.well-known/security.txt')).toContain('Expires: 2027-11-13T00:00:00Z');
  expect(site.get('/')).toMatch(/<span data-year[^>]*>2026</);
});

it('a post with a later date is in the edition of that day, and nowhere before', async () => {
  const { editions } = unpackRelease(await readFile(join(frozen.own, 'site.pack')));
  expect(editions.map(({ from }) => from)).toEqual([null, '2031-05-17T04:00:00.000Z']);
  const [now, then] = editions.map(
    ({ files }) => new Map(files.map((file) => [file.path, text(file)])),
  );
  const places = ['/blog', '/sitemap.xml', '/feed.xml', '/llms.txt', '/blog/a-sample'];
  for (const path of places) {
    expect(now?.get(path), path).not.toContain('to-come');
    expect(then?.get(path), path).toContain('to-come');
  }
  expect(now?.has('/blog/to-come')).toBe(false);
  expect(then?.get('/blog/to-come')).toContain('May 17, 2031');
  expect([...(now?.keys() ?? [])].filter((path) => path.includes('to-come'))).toEqual([]);
  // A page without posts is the same in both, and is in the file once.
  expect(then?.get('/pricing')).toBe(now?.get('/pricing'));
});

it('a photo is there in every kind and width that its page and its card name', async () => {
  const types = new Map((await files()).map(({ path, type }) => [path, type]));
  const site = await texts();
  const page = (path: string) => site.get(path) ?? '';
  for (const html of [page('/blog/a-sample'), page('/blog')]) {
    const sources = [
      ...html.matchAll(/<source type="([^"]+)" srcSet="([^"]+)" sizes="[^"]+" hidden=""/gi),
    ];
    expect(sources.length).toBeGreaterThanOrEqual(2);
    for (const [, type, srcset = ''] of sources) {
      const named = srcset.split(', ').map((each) => each.split(' ')[0] ?? '');
      expect(named.map((path) => types.get(path))).toEqual([type, type, type, type]);
    }
  }
  const [own, inText] = [...page('/blog/a-sample').matchAll(/<img [^>]*a-photo-[^>]*>/g)].map(
    String,
  );
  expect(own).toMatch(/width="1600" height="400" alt="What it shows".* loading="eager"/);
  expect(own).toContain('fetchPriority="high"');
  expect(own).not.toContain('data-scene');
  expect(inText).toMatch(/width="688" height="172" alt="The same" loading="lazy"/);
  const feed = page('/feed.xml');
  expect(feed).toMatch(/&lt;img src=&quot;https:\/\/[^/]+\/assets\/a-photo-1200-/);
  expect(feed).not.toContain('srcset');
});

it('a build from the cache is the same to the byte', { timeout: buildLimit }, async () => {
  expect(await build(join(folder, 'second'))).toMatchObject({ code: 0, stderr: '' });
  const [before, after] = [
    await readFile(join(frozen.own, 'site.pack')),
    await readFile(join(folder, 'second/site.pack')),
  ];
  expect(after.equals(before)).toBe(true);
});

it('fails with exit code 1 for links that lead nowhere, naming file and field', {
  timeout: buildLimit,
}, async () => {
  await copy.change('home.toml', /path = "\/services"/, 'path = "/services#webistes"');
  await copy.write('posts/sample.md', samplePost('', 'Read [this](/blog/no-such-post).'));
  const { code, stderr } = await build(join(folder, 'failed'));
  expect(code).toBe(1);
  expect(stderr).toMatch(/^content\/home\.toml: hero\.secondary\.path: \/services#webistes/m);
  expect(stderr).toMatch(
    /^content\/posts\/sample\.md: body: \/blog\/no-such-post leads to no page/m,
  );
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(existsSync(join(folder, 'failed/site.pack'))).toBe(false);
});
