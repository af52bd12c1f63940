/** Motion for visitors who do not prefer less: smooth scrolling, and sections and cards that fade in. */
import type { Locator, Page } from '@playwright/test';
import { fadeInThreshold, sectionThreshold } from '../../web/src/lib/reveal-timing.ts';
import { moving } from '../support/browser.ts';
import {
  barLink,
  bringOnScreen,
  expectAtTop,
  jumpTo,
  layOut,
  noteOwnScrolls,
  observed,
  open,
  ownScrolls,
  scrollY,
  settled,
} from '../support/page.ts';
import { kinds } from '../support/routes.ts';
import { expect, test } from '../support/test.ts';

test.use(moving);

test('a click on bare ground and a route change scroll smoothly to the top', async ({ page }) => {
  await open(page, '/privacy');
  await jumpTo(page, 700);
  await noteOwnScrolls(page);
  await page.mouse.click(20, 450);
  await expect.poll(() => scrollY(page)).toBe(0);
  expect(await ownScrolls(page)).toEqual([700]);
  await jumpTo(page, 1200);
  await noteOwnScrolls(page);
  await barLink(page, 'Services').click();
  await expect(page).toHaveTitle(/Services/);
  await expect.poll(() => scrollY(page)).toBe(0);
  expect(await ownScrolls(page)).toEqual([1200]);
});

test('a smooth scroll to a section lands on it, from another page and on its own', async ({
  page,
}) => {
  await open(page, '/');
  await page.locator('main a[href="/services#ai-chatbots"]').click();
  await expectAtTop(page, 'ai-chatbots');
  await page.locator('footer').getByRole('link', { name: 'Automation', exact: true }).click();
  await expectAtTop(page, 'business-automation');
});

test('the menu slides in from the side', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, '/');
  const menu = page.locator('#menu');
  // Where a transition begins is known as soon as it does, however late the next frame is.
  const begins = menu.evaluate(
    (element) =>
      new Promise((known) => {
        element.addEventListener('transitionrun', (event) => {
          const { propertyName } = event as TransitionEvent;
          if (propertyName !== 'translate') return;
          const slide = element
            .getAnimations()
            .find((each) => (each as CSSTransition).transitionProperty === propertyName);
          slide?.pause();
          if (slide) slide.currentTime = 0;
          known(element.getBoundingClientRect().left);
          slide?.play();
        });
      }),
  );
  await page.getByRole('button', { name: 'Open menu' }).click();
  expect(await begins).toBeGreaterThan(150);
  await expect(menu).toHaveCSS('translate', /^0(px)?( 0px)?$/);
  expect((await menu.boundingBox())?.x).toBeLessThanOrEqual(1);
});

/**
 * Rests on a link of the bar until its page is ready, presses it, and tells what is on screen when
 * the next frame is made: its heading, and how many motions bring it in.
 */
async function pressReady(page: Page, name: string) {
  const link = barLink(page, name);
  const fetched = page.waitForResponse(`**${await link.getAttribute('href')}`);
  await link.hover();
  await (await fetched).finished();
  await settled(page);
  return link.evaluate(async (element) => {
    (element as HTMLElement).click();
    await new Promise(requestAnimationFrame);
    const main = document.querySelector('main');
    return {
      heading: main?.querySelector('h1')?.textContent,
      fades: main?.getAnimations().length,
    };
  });
}

test('a link is fetched when the pointer rests on it; its page is there in the next frame and fades in, unless less motion is wanted', async ({
  page,
}) => {
  await open(page, '/about');
  const fetched: string[] = [];
  page.on('request', (request) => fetched.push(new URL(request.url()).pathname));
  const services = await pressReady(page, 'Services');
  expect(services).toEqual({ heading: 'More customers, less busywork', fades: 1 });
  expect(fetched.filter((path) => path === '/services')).toHaveLength(1);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const pricing = await pressReady(page, 'Pricing');
  expect(pricing).toEqual({ heading: expect.any(String), fades: 0 });
});

test('cards that lead somewhere answer the pointer, and only those', async ({ page }) => {
  const look = (element: Element) => {
    const { translate, backgroundColor, boxShadow } = getComputedStyle(element);
    return [translate, backgroundColor, boxShadow].join(' | ');
  };
  for (const path of ['/', '/pricing']) {
    await open(page, path);
    const articles = await page.locator('main article').all();
    // Cards of one kind are alike: the first and the last of a page.
    for (const card of [articles[0], articles.at(-1)] as Locator[]) {
      await bringOnScreen(card);
      const leads =
        (await card.locator('a:is([href^="/services#"], [href^="/blog/"])').count()) > 0;
      await page.mouse.move(0, 0);
      await expect(card).toHaveCSS('translate', 'none');
      const moving = () => card.evaluate((node) => node.getAnimations().length);
      await expect.poll(moving).toBe(0);
      const atRest = await card.evaluate(look);
      await card.hover({ position: { x: 12, y: 12 } });
      if (leads) await expect(card).toHaveCSS('translate', '0px -4px');
      // Nothing of it is on the way either.
      else {
        expect(await moving(), path).toBe(0);
        expect(await card.evaluate(look), path).toBe(atRest);
      }
    }
  }
});

/** Where the page must stand for this part of the element's height to have come in from below. */
const topFor = (element: Locator, part: number) =>
  element.evaluate((node, share) => {
    const { top, height } = node.getBoundingClientRect();
    // It may still be on its way, as may what is around it.
    let moved = 0;
    for (let at: Element | null = node; at; at = at.parentElement)
      moved += new DOMMatrix(getComputedStyle(at).transform).f;
    return Math.round(window.scrollY + top - moved + share * height - innerHeight);
  }, part);

async function showPart(page: Page, element: Locator, part: number) {
  await layOut(page);
  await jumpTo(page, await topFor(element, part));
  await observed(element);
}

/** Follows one element from frame to frame: how far it is displaced, and what fades it. */
const watchArrival = (element: Locator, top: number) =>
  element.evaluate(async (node, y) => {
    const seen: { travel: number; fading: number; shown: number }[] = [];
    const note = () => {
      let [travel, fading, shown] = [0, 0, 1];
      for (let at: Element | null = node; at; at = at.parentElement) {
        const { opacity, transform } = getComputedStyle(at);
        travel += new DOMMatrix(transform).f;
        fading += Number(opacity) < 1 ? 1 : 0;
        shown *= Number(opacity);
      }
      seen.push({ travel, fading, shown });
      return shown;
    };
    note();
    window.scrollTo({ top: y, behavior: 'instant' });
    while (note() < 1) await new Promise(requestAnimationFrame);
    return seen;
  }, top);

test('a card travels and fades once, with a part of its section on screen or all of it', async ({
  page,
}) => {
  for (const part of [0.35, 1]) {
    await open(page, '/');
    const section = page.locator('main section', { has: page.locator('article') }).first();
    await layOut(page);
    const top = await topFor(section, part);
    await jumpTo(page, 1);
    const seen = await watchArrival(section.locator('article').first(), top);
    expect(seen[0]?.shown).toBe(0);
    expect(Math.max(...seen.map(({ travel }) => travel))).toBeLessThanOrEqual(24);
    expect(Math.max(...seen.map(({ fading }) => fading))).toBe(1);
    expect(seen.at(-1)).toEqual({ travel: 0, fading: 0, shown: 1 });
  }
});

test('a section and a card wait for a fifth of them, a picture and an item of a list for a tenth; then they show and stay', async ({
  page,
}) => {
  expect([sectionThreshold, fadeInThreshold]).toEqual([0.2, 0.1]);
  const last = 'section#business-automation';
  for (const [path, selector, before, after] of [
    ['/', 'main article[data-reveal] >> nth=0', 0.1, 0.25],
    ['/', 'section:has-text("How It Works") > [data-reveal]', 0.1, 0.25],
    ['/services', `${last} [data-fade="${fadeInThreshold}"]:has(> img)`, -0.05, 0.9],
    ['/services', `${last} li[data-fade="${fadeInThreshold}"] >> nth=-1`, -0.05, 0.9],
  ] as const) {
    if (new URL(page.url(), 'http://none').pathname !== path) await open(page, path);
    const element = page.locator(selector);
    await showPart(page, element, before);
    await expect(element).toHaveAttribute('data-reveal', 'hidden');
    if (path === '/') await expect(element).toHaveCSS('opacity', '0');
    await showPart(page, element, after);
    await expect(element).toHaveCSS('opacity', '1');
    await expect(element).toHaveCSS('transform', 'none');
    await jumpTo(page, 0);
    await observed(element);
    await expect(element).toHaveAttribute('data-reveal', 'shown');
    await expect(element).toHaveCSS('opacity', '1');
  }

  // A fifth of an element may be more than fits the screen.
  await page.setViewportSize({ width: 390, height: 240 });
  await open(page, '/services');
  const tall = page.locator(`${last} > [data-reveal]`);
  const height = (await tall.boundingBox())?.height ?? 0;
  expect(height / 5).toBeGreaterThan(240);
  await showPart(page, tall, 220 / height);
  await expect(tall).toHaveCSS('opacity', '1');
});

test('on a busy page, where several reports arrive at once, none is missed', async ({ page }) => {
  await page.addInitScript(() => {
    const Native = window.IntersectionObserver;
    const held: (() => void)[] = [];
    Object.assign(window, {
      deliver: () => {
        for (const report of held.splice(0)) report();
      },
    });
    window.IntersectionObserver = class extends Native {
      constructor(report: IntersectionObserverCallback, options?: IntersectionObserverInit) {
        const waiting: IntersectionObserverEntry[] = [];
        super((entries, observer) => {
          // Those that reveal ask for thresholds; the others go on as ever.
          if (!options) return report(entries, observer);
          if (waiting.length === 0) held.push(() => report(waiting.splice(0), observer));
          waiting.push(...entries);
        }, options);
      }
    };
  });
  await open(page, '/');
  const element = page.locator('section', { hasText: 'How It Works' }).locator('> div');
  await showPart(page, element, 0.5);
  await expect(element).not.toHaveAttribute('data-reveal');
  await page.evaluate(() => (window as unknown as { deliver: () => void }).deliver());
  await expect(element).toHaveAttribute('data-reveal', 'shown');
});

test('nothing on screen is hidden at first, and everything shows on the way down', async ({
  page,
}) => {
  for (const path of kinds) {
    await open(page, path);
    await observed(page.locator('footer'));
    const hidden = page.locator('[data-reveal=hidden]');
    const inSight = (all: Element[]) =>
      all.filter((element) => element.getBoundingClientRect().top < innerHeight).length;
    expect(await hidden.evaluateAll(inSight), path).toBe(0);
    await page.evaluate(async () => {
      for (let top = 0; top < document.body.scrollHeight; top += 0.8 * innerHeight) {
        window.scrollTo({ top, behavior: 'instant' });
        // Observers report positions once a frame, all of them before the page is idle.
        await new Promise((frame) => requestAnimationFrame(frame));
        await new Promise((idle) => requestIdleCallback(idle, { timeout: 2000 }));
      }
    });
    await expect(hidden, path).toHaveCount(0);
  }
});
