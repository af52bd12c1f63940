/** Conditions to wait for, and steps that many tests share. */
import { type BrowserContext, expect, type Locator, type Page, type Route } from '@playwright/test';

/** Opens a page and waits until its script has taken it over. */
export async function open(page: Page, path: string) {
  await page.goto(path);
  await alive(page);
}

/** Every page is drawn in the system's font. With its own it would be drawn only if they came in time. */
export const withoutFonts = (context: BrowserContext) =>
  context.route('**/*.woff2', (route) => route.fulfill({ status: 204 }));

/** Waits until the script listens and its first tasks have run. */
export async function alive(page: Page) {
  await page.waitForFunction(() => 'alive' in document.documentElement.dataset);
  await settled(page);
}

/**
 * Waits until everything that the last event started is done: idle time comes after
 * all waiting tasks. A page with motion on a busy machine may have no idle time; then
 * a task after a longer timeout takes its place.
 */
export async function settled(page: Page) {
  await page.evaluate(() => new Promise((done) => requestIdleCallback(done, { timeout: 2000 })));
}

/** Waits until every observer has been told where the element is now: a new observer is told last. */
export async function observed(element: Locator) {
  await element.evaluate(
    (node) =>
      new Promise<void>((done) => {
        const observer = new IntersectionObserver(() => {
          observer.disconnect();
          done();
        });
        observer.observe(node);
      }),
  );
  await settled(element.page());
}

/** From now on only the test lets time pass. The page must have started, which itself takes time. */
export async function stopClock(page: Page) {
  const start = new Date('2026-11-15T10:00:00Z');
  await page.clock.install({ time: start });
  await page.clock.pauseAt(new Date(start.getTime() + 600_000));
}

export const scrollY = (page: Page) => page.evaluate(() => window.scrollY);

/** Scrolls down the page at once and waits until the page has noticed. */
export async function jumpTo(page: Page, top: number) {
  await page.evaluate(async (y) => {
    const scrolled = new Promise((done) => addEventListener('scroll', done, { once: true }));
    const before = window.scrollY;
    window.scrollTo({ top: y, behavior: 'instant' });
    if (window.scrollY !== before) await scrolled;
  }, top);
  await expect.poll(() => scrollY(page)).toBe(top);
  await settled(page);
}

/**
 * Notes where the page stands right after each scroll it asks for itself:
 * a smooth one has only begun, an instant one has arrived.
 */
export async function noteOwnScrolls(page: Page) {
  await page.evaluate(() => {
    const standing: number[] = [];
    Object.assign(window, { standing });
    const scrollTo = window.scrollTo.bind(window);
    window.scrollTo = (...place: unknown[]) => {
      (scrollTo as (...place: unknown[]) => void)(...place);
      standing.push(window.scrollY);
    };
  });
}

export const ownScrolls = (page: Page) =>
  page.evaluate(() => (window as unknown as { standing: number[] }).standing);

/** Notes every position the page scrolls through from now on, whoever scrolls it. */
export async function notePositions(page: Page) {
  await page.evaluate(() => {
    const positions: number[] = [];
    Object.assign(window, { positions });
    addEventListener('scroll', () => positions.push(window.scrollY));
  });
}

export const positions = (page: Page) =>
  page.evaluate(() => (window as unknown as { positions: number[] }).positions);

/** Sets a mark that only loading a new document removes. */
export const markDocument = (page: Page) =>
  page.evaluate(() => void Object.assign(window, { sameDocument: true }));

export const sameDocument = (page: Page) => page.evaluate(() => 'sameDocument' in window);

/** Lays out the whole page at once: estimated heights would move what the test looks at. */
export const layOut = (page: Page) =>
  page.evaluate(() => void document.documentElement.toggleAttribute('data-whole', true));

/** A link of the bar, as a wide screen shows it. */
export const barLink = (page: Page, name: string) =>
  page.locator('header nav').first().getByRole('link', { name, exact: true });

/** The fonts in which the words of an element are drawn: the names of the system's, "own" for the site's. */
export async function fontsOf(page: Page, selector: string): Promise<string> {
  const session = await page.context().newCDPSession(page);
  await session.send('DOM.enable');
  await session.send('CSS.enable');
  const { root } = await session.send('DOM.getDocument');
  const { nodeId } = await session.send('DOM.querySelector', { nodeId: root.nodeId, selector });
  const { fonts } = await session.send('CSS.getPlatformFontsForNode', { nodeId });
  await session.detach();
  return fonts.map(({ isCustomFont, familyName }) => (isCustomFont ? 'own' : familyName)).join();
}

/** The section begins right below the fixed bar, and its title can be read. */
export async function expectAtTop(page: Page, id: string) {
  const bar = (await page.locator('header').boundingBox())?.height ?? 0;
  const distance = () =>
    page.locator(`section#${id}`).evaluate((section) => section.getBoundingClientRect().top);
  await expect.poll(async () => Math.abs((await distance()) - bar), id).toBeLessThanOrEqual(3);
  const title = page.locator(`section#${id} h2`);
  await expect(title).toBeInViewport({ ratio: 1 });
  await expect(page.locator(`section#${id} > div`)).toHaveCSS('opacity', '1');
  expect((await title.boundingBox())?.y).toBeGreaterThanOrEqual(bar);
}

/** The middle of an element, in the measures of the screen. */
export async function middleOf(element: Locator) {
  const box = await element.boundingBox();
  if (!box) throw new Error(`${element} is not on the screen`);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Scrolls an element to the middle of the screen at once and waits until the page has noticed. */
export async function bringOnScreen(element: Locator) {
  await element.evaluate((node) => node.scrollIntoView({ behavior: 'instant', block: 'center' }));
  await observed(element);
}

/** Holds requests back until it is opened. */
export class Gate {
  readonly #opened = Promise.withResolvers<void>();

  static async before(page: Page, url: string | RegExp): Promise<Gate> {
    const gate = new Gate();
    await page.route(url, async (route: Route) => {
      await gate.#opened.promise;
      await route.continue();
    });
    return gate;
  }

  open() {
    this.#opened.resolve();
  }
}
