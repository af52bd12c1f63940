/** Takes the screenshots of the site and of the desk for docs/screenshots from the real program; an argument selects those whose name contains it. */
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, expect, type Page } from '@playwright/test';
import type { App } from './support/app.ts';
import { launchOptions } from './support/browser.ts';
import { Desk, heading, lead } from './support/desk.ts';
import { deskPages, fillDesk, type Look } from './support/desk-data.ts';
import { alive, fontsOf } from './support/page.ts';

const folder = fileURLToPath(new URL('../docs/screenshots/', import.meta.url));
const post = '/blog/ai-tools-save-time';
const screens = [
  { viewport: { width: 1440, height: 900 } },
  { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
];

type Shot = {
  name: string;
  path: string;
  prepare?: (page: Page) => Promise<void>;
  whole?: boolean;
};

const shots: Shot[] = [
  { name: 'home', path: '/' },
  { name: 'services', path: '/services' },
  { name: 'pricing', path: '/pricing' },
  { name: 'contact', path: '/contact' },
  { name: 'blog-modal', path: '/blog', prepare: openPost, whole: false },
  { name: 'post', path: post },
  { name: '404', path: '/no-such-page' },
];

async function openPost(page: Page) {
  await page.locator(`main a[href="${post}"]`).click();
  await page.locator('dialog [data-prose] p').first().waitFor();
}

/** Brings every section and lazy picture on screen once, then returns to the top. */
async function scrollThrough(page: Page) {
  await page.evaluate(async () => {
    const frame = () => new Promise(requestAnimationFrame);
    for (let top = 0; top < document.body.scrollHeight; top += innerHeight / 3) {
      window.scrollTo({ top, behavior: 'instant' });
      await frame();
      await frame();
    }
    window.scrollTo({ top: 0, behavior: 'instant' });
    await Promise.all([...document.images].map((image) => image.decode()));
  });
  await page.waitForFunction(() => !document.querySelector('[data-reveal=hidden]'));
}

/**
 * A screenshot has no scroll bar: the space reserved for one would be an empty strip. The whole page is
 * visible, so nothing may wait until it is near the screen.
 */
async function layOutWhole(page: Page) {
  await page.evaluate(() => {
    document.documentElement.style.scrollbarGutter = 'auto';
    for (const late of document.querySelectorAll<HTMLElement>('[data-late]')) {
      late.style.contentVisibility = 'visible';
    }
  });
}

/** Stops all motion in its final state: taking a screenshot would start some again. */
async function settle(page: Page) {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.waitForFunction(() => document.getAnimations().length === 0);
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
}

/** WebP, which Playwright itself does not write: a quarter of the size of a PNG. */
async function capture(page: Page, whole: boolean): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { cssContentSize } = await session.send('Page.getLayoutMetrics');
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 82,
    ...(whole ? { captureBeyondViewport: true, clip: { ...cssContentSize, scale: 1 } } : {}),
  });
  return Buffer.from(data, 'base64');
}

async function keep(name: string, picture: Buffer) {
  await writeFile(`${folder + name}.webp`, picture);
  console.log(`docs/screenshots/${name}.webp  ${Math.round(picture.length / 1024)} kB`);
}

async function takeSite(browser: Browser, app: App, wanted: Shot[]) {
  for (const screen of screens) {
    const page = await browser.newPage({ ...screen, baseURL: app.url });
    for (const { name, path, prepare, whole = true } of wanted) {
      await page.emulateMedia({ reducedMotion: null });
      // The page is shown in the fonts of the site: should they miss its first paint, another load has them.
      do {
        await page.goto(path);
        await alive(page);
      } while ((await fontsOf(page, 'h1')) !== 'own');
      await layOutWhole(page);
      await scrollThrough(page);
      await prepare?.(page);
      await settle(page);
      await keep(`${name}-${screen.viewport.width}`, await capture(page, whole));
    }
    await page.close();
  }
}

/** Hours between UTC and where it is ten in the morning. */
const ahead = ((10 - new Date().getUTCHours() + 36) % 24) - 12;

/** It is morning at the desk, whenever its pictures are taken. */
async function inTheMorning(context: BrowserContext) {
  await context.route('**/api/desk/me', async (route) => {
    const answer = await route.fetch();
    const me = await answer.json();
    me.site.zone = `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
    await route.fulfill({ response: answer, json: me });
  });
}

async function takePages(browser: Browser, desk: Desk, pages: Look[], signIn = true) {
  for (const screen of screens) {
    const context = await browser.newContext({ ...screen, reducedMotion: 'reduce' });
    await inTheMorning(context);
    const page = await context.newPage();
    if (signIn) await desk.signIn(page);
    for (const [name, path, text, open] of pages)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.goto(desk.url + path);
        await expect(page.getByText(text).first()).toBeVisible();
        await open?.(page);
        await page.waitForLoadState('networkidle');
        const picture = await capture(page, false);
        await keep(`desk-${name}-${colorScheme}-${screen.viewport.width}`, picture);
      }
    await context.close();
  }
}

/** The first day: nothing has been counted, then a little. */
async function takeFirstDay(browser: Browser, desk: Desk) {
  const numbers = async (name: string, text: string) => {
    await desk.app.command('desk', 'revoke', '--all');
    await takePages(browser, desk, [[name, '/numbers', text]]);
  };
  await takePages(browser, desk, [['sign-in', '/', 'Your desk']], false);
  await numbers('numbers-none', 'No visits in');
  const agent =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0';
  const visitor = await browser.newPage({ baseURL: desk.app.url, userAgent: agent });
  for (const path of ['/', '/pricing', '/', '/services', '/']) await visitor.goto(path);
  await visitor.close();
  await desk.write('Ada Byron', 'Could an assistant take our cake orders?', 'google.com');
  const requested = async () =>
    JSON.parse(await desk.app.command('stats', '--json')).totals.requested;
  await expect.poll(requested, { timeout: 15_000 }).toBe(5);
  await numbers('numbers-little', 'Time to answer');
}

async function takeDesk(browser: Browser, desk: Desk) {
  await fillDesk(desk, 214);
  const ben = await browser.newPage();
  await desk.signIn(ben, { name: 'Ben' });
  await lead(ben, 'Radia Joy').click();
  await expect(heading(ben, 'Radia Joy')).toBeVisible();
  await ben.keyboard.press('r');
  await takePages(browser, desk, deskPages);
  await ben.close();
}

const word = process.argv[2] ?? '';
const wanted = shots.filter(({ name }) => name.includes(word));
const [desk, firstDay] = [await Desk.start(), await Desk.start()];
const browser = await chromium.launch(launchOptions);
try {
  await mkdir(folder, { recursive: true });
  await takeSite(browser, desk.app, wanted);
  if ('desk'.includes(word)) {
    await takeFirstDay(browser, firstDay);
    await takeDesk(browser, desk);
  }
} finally {
  await browser.close();
  await desk.stop();
  await firstDay.stop();
}
