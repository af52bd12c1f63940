/** `make dev` shows at once what is new, gone or broken, on the page and in the terminal. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { paths } from './paths.ts';
import { ContentCopy, samplePost } from './testing/content-copy.ts';
import { phonePhoto } from './testing/photo.ts';

/** Only a broken server, or a busy machine, takes so long. */
const timeLimit = 120_000;

const copy = new ContentCopy();
let server: ChildProcess;
let url: string;
/** Everything in the terminal, and every message to the open page. */
let terminal = '';
const told: { type: string; err?: { message: string } }[] = [];
let page: WebSocket;

/** It starts with a mistake in the content. */
const wrong = 'content/home.toml: hero.subtitle: This line is missing';
let right: string;

beforeAll(async () => {
  await copy.begin();
  await copy.write('posts/sample.md', samplePost('draft = true'));
  right = await copy.read('home.toml');
  await copy.change('home.toml', /^subtitle = .*$/m, '');
  server = spawn(process.execPath, ['build/dev.ts'], {
    cwd: paths.web,
    env: { ...process.env, FRONTDOOR_CONTENT: copy.content, PORT: '0' },
  });
  for (const stream of [server.stdout, server.stderr])
    stream?.on('data', (chunk) => {
      terminal += chunk;
    });
  const address = () => /(http:\S+)\/ \(/.exec(terminal)?.[1];
  await until(() => address() !== undefined);
  url = address() ?? '';
  const client = await (await fetch(`${url}/@vite/client`)).text();
  const token = /wsToken = "([^"]+)"/.exec(client)?.[1];
  page = new WebSocket(`${url.replace('http', 'ws')}/?token=${token}`, 'vite-hmr');
  page.addEventListener('message', ({ data }) => told.push(JSON.parse(data)));
  await until(() => told.some(({ type }) => type === 'connected'));
}, timeLimit);

afterAll(async () => {
  page?.close();
  if (server?.exitCode === null) {
    const ended = once(server, 'exit');
    server.kill();
    await ended;
  }
  await copy.dispose();
});

/** If the condition never holds, the error has all output so far. */
async function until(condition: () => boolean | Promise<boolean>) {
  const end = Date.now() + timeLimit;
  while (!(await condition())) {
    const said = `${terminal}\n${JSON.stringify(told)}`;
    if (server.exitCode !== null) throw new Error(`the server has ended: ${said}`);
    if (Date.now() > end) throw new Error(`the condition never held: ${said}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function get(path: string) {
  const answer = await fetch(url + path);
  return { status: answer.status, text: await answer.text() };
}

async function seeing(change: () => Promise<void>, type = 'full-reload') {
  const count = () => told.filter((message) => message.type === type).length;
  const before = count();
  await change();
  await until(() => count() > before);
}

it('a mistake is shown over the open page, on the next one and in the terminal until it is fixed', async () => {
  const isTold = async () => {
    expect(terminal).toContain(wrong);
    const broken = await get('/about');
    expect(broken.status).toBe(500);
    expect(broken.text).toContain(wrong);
    expect(broken.text).not.toContain('content-reader.ts');
  };
  await isTold();
  await seeing(() => copy.write('home.toml', right));
  expect((await get('/about')).status).toBe(200);
  terminal = '';
  await seeing(() => copy.change('home.toml', /^subtitle = .*$/m, ''), 'error');
  expect(told.at(-1)?.err?.message).toContain(wrong);
  await isTold();
  await seeing(() => copy.write('home.toml', right));
});

it('a draft has a page that says so', async () => {
  const { status, text } = await get('/blog/sample');
  expect(status).toBe(200);
  expect(text).toContain('<strong>Draft</strong>');
});

it('a new post appears with its photo, and is gone when its file is', async () => {
  expect((await get('/blog/fresh')).status).toBe(404);
  await seeing(async () => {
    await copy.write('posts/shop.jpg', await phonePhoto({ width: 800, height: 600 }));
    await copy.write('posts/fresh.md', samplePost('', '![A shop](shop.jpg)'));
  });
  await until(async () => (await get('/blog/fresh')).status === 200);
  const photo = /src="(\/assets\/shop-[^"]+)"/.exec((await get('/blog/fresh')).text)?.[1];
  const answer = await fetch(url + photo);
  expect(answer.headers.get('content-type')).toBe('image/jpeg');
  await seeing(async () => {
    await copy.remove('posts/fresh.md');
    await copy.remove('posts/shop.jpg');
  });
  await until(async () => (await get('/blog/fresh')).status === 404);
});

it('the owner’s colours are in the styles and icons as soon as they are saved', async () => {
  const site = await copy.read('site.toml');
  expect((await get('/src/styles/tokens.css')).text).toContain('--violet: #8b5cf6');
  await seeing(() => copy.write('site.toml', `${site}\n[brand]\naccent = "#0f766e"\n`));
  expect((await get('/src/styles/tokens.css')).text).not.toContain('#8b5cf6');
  expect((await get('/favicon.svg')).text).not.toContain('#5b2fd6');
});
