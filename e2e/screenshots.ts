/** Pictures of the site for docs/screenshots, taken from the real program. */
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from '@playwright/test';
import { App } from './support/app.ts';
import { launchOptions } from './support/browser.ts';
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
 * A picture has no scroll bar: the place that is kept for one would be an empty strip. And all of the
 * page is in sight, so nothing waits until it comes near.
 */
async function layOutWhole(page: Page) {
  await page.evaluate(() => {
    document.documentElement.style.scrollbarGutter = 'auto';
    for (const late of document.querySelectorAll<HTMLElement>('[data-late]')) {
      late.style.contentVisibility = 'visible';
    }
  });
}

/** Holds everything still, in its final place; a capture would start some motions anew. */
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

const app = await App.start();
const browser = await chromium.launch(launchOptions);
try {
  await mkdir(folder, { recursive: true });
  for (const screen of screens) {
    const page = await browser.newPage({ ...screen, baseURL: app.url });
    for (const { name, path, prepare, whole = true } of shots) {
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
      const file = `${name}-${screen.viewport.width}.webp`;
      const picture = await capture(page, whole);
      await writeFile(folder + file, picture);
      console.log(`docs/screenshots/${file}  ${Math.round(picture.length / 1024)} kB`);
    }
    await page.close();
  }
} finally {
  await browser.close();
  await app.dispose();
}
