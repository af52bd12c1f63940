/**
 * The home page as Astro builds it (`peers/astro`): the same components, words,
 * pictures and fonts, its contact form an island of React that wakes once it is
 * seen. It does less than ours: no particles, no reveals, no going in place.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  type Answers,
  asServed,
  compressed,
  filesOf,
  plain,
  type Served,
  serve,
} from './answers.ts';
import { emptyFolder, folders, run } from './child.ts';

const folder = join(folders.peers, 'astro');
const dist = join(folder, 'dist');

/** Builds it anew, as our page may have changed, and serves it with our page's headers. */
export async function serveAstro(origin: string): Promise<Served> {
  const home = await asServed(new URL(origin));
  const html = new TextDecoder().decode(plain(home));
  const files = await filesOf(html, origin);
  await build(await written(files));
  sameContent(html, await readFile(join(dist, 'index.html'), 'utf8'));
  return serve(
    new Map([...files, ...(await built(home.headers, await scriptHeaders(html, origin)))]),
  );
}

export async function astroVersion(): Promise<string> {
  const file = join(folder, 'node_modules/astro/package.json');
  return `Astro ${JSON.parse(await readFile(file, 'utf8')).version}`;
}

async function written(files: Answers): Promise<string> {
  const root = await emptyFolder('astro');
  for (const [path, answer] of files) {
    const file = join(root, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, plain(answer));
  }
  return root;
}

async function build(files: string) {
  await run(['make', '--silent', 'bench/peers/astro/node_modules/.package-lock.json']);
  const env = { HOME_FILES: files, ASTRO_TELEMETRY_DISABLED: '1' };
  await run(['npm', 'run', '--silent', 'build'], { cwd: folder, env });
}

/** The peer follows our page by itself, but for what its own files repeat. */
function sameContent(ours: string, astros: string) {
  for (const part of [words, pictures]) {
    const [wanted, found] = [part(ours), part(astros)];
    if (wanted !== found)
      throw new Error(`peers/astro is another page than ours:\n${wanted}\n---\n${found}`);
  }
}

const main = (html: string) => /<main[^>]*>(.*)<\/main>/s.exec(html)?.[1] ?? '';

const words = (html: string) =>
  main(html)
    .replace(/<(script|style|template)[^>]*>.*?<\/\1>|<!--.*?-->/gs, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

const pictures = (html: string) =>
  main(html)
    .match(/\/assets\/[\w.-]+/g)
    ?.join(' ');

type Headers = Awaited<ReturnType<typeof asServed>>['headers'];

/** What Astro itself made: the page and its scripts. */
async function built(page: Headers, script: Headers): Promise<Answers> {
  const answers: Answers = new Map();
  // Our policy names our scripts; Astro writes one of its own into the page.
  const { 'content-security-policy': _, ...headers } = page;
  answers.set('/', compressed(await readFile(join(dist, 'index.html')), headers));
  for (const file of await readdir(join(dist, '_astro'))) {
    if (!file.endsWith('.js'))
      throw new Error(`Astro made a file nobody knows how to send: ${file}`);
    answers.set(`/_astro/${file}`, compressed(await readFile(join(dist, '_astro', file)), script));
  }
  return answers;
}

async function scriptHeaders(html: string, origin: string): Promise<Headers> {
  const script = /data-entry="([^"]+)"/.exec(html)?.[1];
  if (!script) throw new Error('our page has no script to take the headers from');
  return (await asServed(new URL(script, origin))).headers;
}
