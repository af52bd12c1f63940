/** The home page's hero: particles, shapes, the headline word by word, the glow. */
import type { Locator, Page } from '@playwright/test';
import { parameters } from '../../web/src/particles/particles.ts';
import { moving } from '../support/browser.ts';
import { jumpTo, middleOf, open } from '../support/page.ts';
import { expect, test } from '../support/test.ts';

test.use(moving);

type Disc = { x: number; y: number; radius: number; color: string; opacity: number };
type Drawing = { frames: Disc[][]; lines: number; waiting: Set<number> };

/** Runs in the worker before its own code: notes what is drawn, and what will be. */
function note() {
  const drawing: Drawing = { frames: [], lines: 0, waiting: new Set() };
  Object.assign(self, { drawing });
  const drawn = OffscreenCanvasRenderingContext2D.prototype;
  const { arc, clearRect } = drawn;
  drawn.clearRect = function (...box) {
    drawing.frames.push([]);
    clearRect.apply(this, box);
  };
  drawn.arc = function (x, y, radius, ...angles) {
    const [color, opacity] = [String(this.fillStyle), this.globalAlpha];
    drawing.frames.at(-1)?.push({ x, y, radius, color, opacity });
    arc.call(this, x, y, radius, ...angles);
  };
  for (const name of ['lineTo', 'stroke'] as const) {
    drawn[name] = () => {
      drawing.lines += 1;
    };
  }
  const { requestAnimationFrame, cancelAnimationFrame } = self;
  self.requestAnimationFrame = (work) => {
    const frame = requestAnimationFrame((now) => {
      drawing.waiting.delete(frame);
      work(now);
    });
    drawing.waiting.add(frame);
    return frame;
  };
  self.cancelAnimationFrame = (frame) => {
    drawing.waiting.delete(frame);
    cancelAnimationFrame(frame);
  };
}

async function noteDrawing(page: Page, also = '') {
  await page.route('**/particles-worker-*.js', async (route) => {
    const response = await route.fetch();
    const body = `(${note})();${also};${await response.text()}`;
    await route.fulfill({ response, body });
  });
}

/** What the worker says about its drawing; nothing while there is no worker. */
async function ask<T>(page: Page, question: (drawing: Drawing) => T): Promise<T | undefined> {
  const [worker] = page.workers();
  return worker?.evaluate(`(${question})(self.drawing)`);
}

/** The frame before the last, which is complete. */
const lastFrame = async (page: Page) => (await ask(page, ({ frames }) => frames.at(-2))) ?? [];
const frameCount = async (page: Page) => (await ask(page, ({ frames }) => frames.length)) ?? 0;
const expectDrawing = (page: Page, after = 0) =>
  expect.poll(() => frameCount(page)).toBeGreaterThan(after + 1);

test('the particles wait until the page is idle, have the parameters of the specification, and rest out of sight or in a hidden tab', async ({
  page,
}) => {
  expect(parameters).toMatchObject({
    number: 15,
    shape: 'circle',
    opacity: 0.1,
    size: { value: 100 },
    repulse: { distance: 150, duration: 0.4 },
    links: false,
  });
  await noteDrawing(page);
  const scripts: string[] = [];
  page.on('request', (request) => scripts.push(request.url()));
  // Nothing that waits for idle time gets any.
  await page.addInitScript(() => {
    const waiting: IdleRequestCallback[] = [];
    const real = window.requestIdleCallback.bind(window);
    window.requestIdleCallback = (work) => waiting.push(work);
    Object.assign(window, {
      held: async () => {
        await new Promise((idle) => real(idle));
        return waiting.length;
      },
      release: () => {
        window.requestIdleCallback = real;
        for (const work of waiting.splice(0)) real(work);
      },
    });
  });
  type Page = { held: () => Promise<number>; release: () => void };
  await page.goto('/');
  await page.waitForFunction(async () => (await (window as unknown as Page).held()) > 0);
  expect(scripts.filter((url) => url.includes('particles'))).toEqual([]);
  expect(page.workers()).toEqual([]);
  await page.evaluate(() => (window as unknown as Page).release());
  await expectDrawing(page);
  const [first] = await lastFrame(page);
  // Sizes and places change from frame to frame.
  await expect.poll(async () => (await lastFrame(page))[0]?.radius).not.toBe(first?.radius);
  await expect.poll(async () => (await lastFrame(page))[0]?.x).not.toBe(first?.x);
  expect(await ask(page, ({ lines }) => lines)).toBe(0);
  const drawn = (await ask(page, ({ frames }) => frames.slice(0, -1).slice(0, 20))) ?? [];
  expect(drawn.length).toBeGreaterThan(0);
  for (const discs of drawn) {
    expect(discs.length).toBe(15);
    for (const { radius, color, opacity } of discs) {
      expect(radius).toBeLessThanOrEqual(51);
      expect(opacity).toBeCloseTo(0.1, 2);
      expect(color).toBe(parameters.color);
    }
  }

  /** Waits until no frame is requested: none will be drawn before the page resumes. */
  const expectRest = () =>
    expect.poll(() => ask(page, ({ waiting }) => waiting.size), 'frames asked for').toBe(0);
  await jumpTo(page, 1600);
  await expectRest();
  const offScreen = await frameCount(page);
  await jumpTo(page, 0);
  await expectDrawing(page, offScreen);
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await expectRest();
});

test('the pointer pushes particles away to its distance', async ({ page }) => {
  // All particles start in the middle, where the pointer will be.
  await noteDrawing(page, 'Math.random = () => 0.5');
  await open(page, '/');
  await expectDrawing(page);
  const canvas = await page.locator('main canvas').boundingBox();
  const nearest = async (x: number, y: number) => {
    const discs = await lastFrame(page);
    return Math.min(...discs.map((disc) => Math.hypot(disc.x - x, disc.y - y)));
  };
  // The particles move: the page is asked where they are when the pointer arrives.
  const [disc] = await lastFrame(page);
  const [x, y] = [Math.round(disc?.x ?? 0) + 40, Math.round(disc?.y ?? 0)];
  expect(await nearest(x, y)).toBeLessThan(100);
  await page.mouse.move(x, y + (canvas?.y ?? 0));
  await expect.poll(() => nearest(x, y)).toBeGreaterThan(140);
});

/** Whether elements of the hero move, and after which delay. */
const motions = (elements: Locator) =>
  elements.evaluateAll((all) =>
    all.map((element) => {
      const { animationName, animationDelay } = getComputedStyle(element);
      return { moves: animationName !== 'none', delay: Number.parseFloat(animationDelay) };
    }),
  );

test('five shapes float; from 768 px the headline arrives word by word, below it is plain; then comes the rest', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(page, '/');
  const hero = page.locator('main section').first();
  expect((await hero.boundingBox())?.height, 'it fills the screen').toBeGreaterThanOrEqual(900);
  const shapes = await hero.locator('> [data-width]').evaluateAll((all) =>
    all.map((shape) => {
      const { backgroundImage, animationName, animationIterationCount } = getComputedStyle(shape);
      const width = (shape as HTMLElement).offsetWidth;
      return { width, backgroundImage, animationName, animationIterationCount };
    }),
  );
  expect(shapes.map(({ width }) => width)).toEqual([600, 500, 300, 200, 150]);
  for (const shape of shapes) {
    expect(shape.backgroundImage).toContain('gradient');
    expect(shape.animationName).not.toBe('none');
    expect(shape.animationIterationCount).toBe('infinite');
  }

  const words = hero.locator('h1 > span > span');
  const booking = hero.getByRole('link', { name: 'Book Your Free Strategy Call' });
  const rest = [hero.getByText('Launch in days'), booking.locator('..'), hero.locator('ul')];
  const expectSequence = async (parts: Locator[]) => {
    const steps = (await Promise.all(parts.map(motions))).flat();
    for (const { moves } of steps) expect(moves).toBe(true);
    const delays = steps.map(({ delay }) => delay);
    expect(delays).toEqual([...new Set(delays)].toSorted((a, b) => a - b));
  };
  await page.setViewportSize({ width: 768, height: 900 });
  await expect(words).toHaveCount(9);
  await expectSequence([words, ...rest]);
  await page.setViewportSize({ width: 767, height: 900 });
  for (const { moves } of await motions(hero.locator('h1 span'))) expect(moves).toBe(false);
  await expectSequence(rest);
});

test('a word of the headline glows under the pointer, and no other', async ({ page }) => {
  await open(page, '/');
  const words = page.locator('h1 > span > span');
  const glowing = () =>
    words.evaluateAll((all) =>
      all.map((word) => {
        const { textShadow, filter } = getComputedStyle(word);
        return /rgb.*\d+px|drop-shadow/.test(`${textShadow} ${filter}`);
      }),
    );
  const all = await words.all();
  await page.mouse.move(5, 630);
  await expect.poll(glowing).toEqual(all.map(() => false));
  for (const word of [all[0], all.at(-1)] as Locator[]) {
    const { x, y } = await middleOf(word);
    await page.mouse.move(x, y);
    await expect.poll(glowing).toEqual(all.map((other) => other === word));
  }
});
