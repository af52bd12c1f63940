/** `make dev` tells the truth: what is new, gone or broken is seen at once, on the page and in the terminal. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ContentCopy, samplePost } from './testing/content-copy.ts';
import { DevServer, timeLimit } from './testing/dev-server.ts';
import { phonePhoto } from './testing/photo.ts';

let copy: ContentCopy;
let dev: DevServer;
beforeAll(async () => {
  copy = await ContentCopy.make();
  await copy.write('posts/sample.md', samplePost('draft = true'));
  dev = await DevServer.start(copy.content);
  await dev.openPage();
  // The first page reads all of the pages' code.
  await dev.get('/');
}, timeLimit * 2);
afterAll(async () => {
  await dev?.stop();
  await copy.dispose();
});

const told = (type: string) => dev.told.filter((message) => message.type === type).length;

/** What the change makes of the open page. */
async function seeing(change: () => Promise<void>, type = 'full-reload') {
  const before = told(type);
  await change();
  await dev.until(() => told(type) > before);
}

it('a draft has its page and its mark', async () => {
  const { status, html } = await dev.get('/blog/sample');
  expect(status).toBe(200);
  expect(html).toContain('<strong>Draft</strong>');
});

it('a changed word is on the page', async () => {
  await dev.get('/about');
  for (const word of ['Redundancy', 'Serendipity', 'Velocity']) {
    await seeing(() => copy.change('about.toml', /^kicker = .*$/m, `kicker = "${word}"`));
    expect((await dev.get('/about')).html).toContain(word);
  }
});

it('a new post is there, with its photo, and gone once its file is', async () => {
  expect((await dev.get('/blog/fresh')).status).toBe(404);
  await seeing(async () => {
    await copy.write('posts/shop.jpg', await phonePhoto({ width: 800, height: 600 }));
    await copy.write('posts/fresh.md', samplePost('', '![A shop](shop.jpg)'));
  });
  await dev.until(async () => (await dev.get('/blog/fresh')).status === 200);
  const photo = /src="(\/assets\/shop-[^"]+)"/.exec((await dev.get('/blog/fresh')).html)?.[1];
  const answer = await fetch(dev.url + photo);
  expect(answer.headers.get('content-type')).toBe('image/jpeg');
  await seeing(async () => {
    await copy.remove('posts/fresh.md');
    await copy.remove('posts/shop.jpg');
  });
  await dev.until(async () => (await dev.get('/blog/fresh')).status === 404);
});

it('the owner’s colours are in the styles and the icons as soon as they are written', async () => {
  const styles = async () => (await fetch(`${dev.url}/src/styles/base.css`)).text();
  const icon = async () => (await fetch(`${dev.url}/favicon.svg`)).text();
  const right = await copy.read('site.toml');
  expect(await styles()).toContain('--violet: #8b5cf6');
  await seeing(() => copy.write('site.toml', `${right}\n[brand]\naccent = "#0f766e"\n`));
  expect(await styles()).not.toContain('#8b5cf6');
  expect(await icon()).not.toContain('#5b2fd6');
  await seeing(() => copy.write('site.toml', right));
  expect(await styles()).toContain('--violet: #8b5cf6');
  expect(await icon()).toContain('#5b2fd6');
});

describe('a file that is wrong', () => {
  const mistake = 'content/home.toml: hero.subtitle: This line is missing';

  it('is told over the open page, on the next one and in the terminal, until it is right', async () => {
    const right = await copy.read('home.toml');
    await seeing(() => copy.change('home.toml', /^subtitle = .*$/m, ''), 'error');
    expect(dev.told.at(-1)?.err?.message).toContain(mistake);
    expect(dev.terminal).toContain(mistake);
    const broken = await dev.get('/about');
    expect(broken.status).toBe(500);
    expect(broken.html).toContain(mistake);
    expect(broken.html).not.toContain('content-reader.ts');
    await seeing(() => copy.write('home.toml', right));
    expect((await dev.get('/about')).status).toBe(200);
  });

  it('is told when it is gone', async () => {
    const right = await copy.read('about.toml');
    await seeing(() => copy.remove('about.toml'), 'error');
    expect(dev.told.at(-1)?.err?.message).toContain('content/about.toml: file: is missing');
    await seeing(() => copy.write('about.toml', right));
  });
});

it('starts on content that is wrong, says so, and shows it once it is right', async () => {
  const wrong = await ContentCopy.make();
  const right = await wrong.read('site.toml');
  await wrong.write('site.toml', 'name = 1');
  const late = await DevServer.start(wrong.content);
  try {
    expect(late.terminal).toContain('content/site.toml: name: ');
    expect(await late.get('/')).toMatchObject({ status: 500 });
    await late.openPage();
    await wrong.write('site.toml', right);
    await late.until(() => late.told.some(({ type }) => type === 'full-reload'));
    expect((await late.get('/')).status).toBe(200);
  } finally {
    await late.stop();
    await wrong.dispose();
  }
});
