/** Sections and cards fade and slide in once, when a fifth of them is on screen. */
import type { Locator, Page } from '@playwright/test';
import { fadeInThreshold, sectionThreshold } from '../../web/src/lib/reveal.ts';
import { withMotion } from '../support/browser.ts';
import { jumpTo, observed, open } from '../support/page.ts';
import { pages } from '../support/routes.ts';
import { expect, test } from '../support/test.ts';

// A small screen: without a graphics card every moving pixel takes its time.
test.use({ ...withMotion, viewport: { width: 1024, height: 640 } });

/** Scrolls until the given part of the element's height has come in from below. */
async function showPart(page: Page, element: Locator, part: number) {
  const top = await element.evaluate((node, share) => {
    // All is laid out, as before a jump to a section: guessed heights would move the element.
    document.documentElement.dataset.whole = '';
    const box = node.getBoundingClientRect();
    return Math.round(window.scrollY + box.top + share * box.height - window.innerHeight);
  }, part);
  await jumpTo(page, top);
  await observed(element);
}

const waiting = {
  section: (page: Page) =>
    page.locator('section', { hasText: 'How It Works' }).locator('> [data-reveal]'),
  card: (page: Page) => page.locator('main article[data-reveal]').first(),
};

for (const [name, find] of Object.entries(waiting)) {
  test(`a ${name} waits for a fifth of it, then shows and stays`, async ({ page }) => {
    expect([sectionThreshold, fadeInThreshold]).toEqual([0.2, 0.1]);
    await open(page, '/');
    const element = find(page);
    if (name === 'section') await expect(element).toHaveCSS('opacity', '0');
    await showPart(page, element, 0.1);
    await expect(element).toHaveAttribute('data-reveal', 'hidden');
    await showPart(page, element, 0.25);
    await expect(element).toHaveCSS('opacity', '1');
    await expect(element).toHaveCSS('transform', 'none');
    await jumpTo(page, 0);
    await observed(element);
    await expect(element).toHaveAttribute('data-reveal', 'shown');
    await expect(element).toHaveCSS('opacity', '1');
  });
}

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

test('what is on screen from the start is never hidden', async ({ page }) => {
  await open(page, '/pricing');
  await observed(page.locator('footer'));
  const hidden = page.locator('[data-reveal=hidden]');
  for (const element of await hidden.all()) await expect(element).not.toBeInViewport();
  expect(await hidden.count()).toBeGreaterThan(0);
});

test('an element far taller than the screen still shows', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 240 });
  await open(page, '/services');
  const element = page.locator('section#business-automation > [data-reveal]');
  const height = (await element.boundingBox())?.height ?? 0;
  // A fifth of it is more than fits the screen.
  expect(height / 5).toBeGreaterThan(240);
  await showPart(page, element, 220 / height);
  await expect(element).toHaveCSS('opacity', '1');
});

for (const path of pages) {
  test(`on the way down ${path} everything shows`, async ({ page }) => {
    await open(page, path);
    await page.evaluate(async () => {
      for (let top = 0; top < document.body.scrollHeight; top += innerHeight / 2) {
        window.scrollTo({ top, behavior: 'instant' });
        // Where everything is is looked at once a frame; all are told before the page is idle.
        await new Promise((frame) => requestAnimationFrame(frame));
        await new Promise((idle) => requestIdleCallback(idle, { timeout: 2000 }));
      }
    });
    await expect(page.locator('[data-reveal=hidden]')).toHaveCount(0);
  });
}

test('pictures and list items fade in from a tenth of them', async ({ page }) => {
  await open(page, '/services');
  await page.evaluate(() => void Object.assign(document.documentElement.dataset, { whole: '' }));
  const section = page.locator('section#business-automation');
  for (const single of [
    section.locator('[data-fade]', { has: page.locator('> img') }),
    section.locator('li').last(),
  ]) {
    await expect(single).toHaveAttribute('data-fade', String(fadeInThreshold));
    await expect(single).toHaveAttribute('data-reveal', 'hidden');
    // Where it will stand once all has arrived: a little of it on screen, or none.
    const show = async (part: number) => {
      const top = await single.evaluate((node, share) => {
        const { top: y, height } = node.getBoundingClientRect();
        // The section around it may still be on its way, too.
        let moved = 0;
        for (let at: Element | null = node; at; at = at.parentElement) {
          moved += new DOMMatrix(getComputedStyle(at).transform).f;
        }
        return Math.ceil(scrollY + y - moved + share * height - innerHeight);
      }, part);
      await jumpTo(page, top);
      await observed(single);
    };
    await show(-0.05);
    await expect(single).toHaveAttribute('data-reveal', 'hidden');
    await show(0.9);
    await expect(single).toHaveAttribute('data-reveal', 'shown');
    await expect(single).toHaveCSS('opacity', '1');
  }
});
