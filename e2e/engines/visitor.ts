/** A page as a visitor uses it, in any engine: reading, pressing, typing, waiting. */
import { expect } from '@playwright/test';
import { notedComplaints, type TestProxy } from './proxy.ts';

/** What the journeys need of a browser: one tab, which one visitor uses after the other. */
export type Tab = {
  /** Starts to load an address. */
  navigate: (url: string) => Promise<unknown>;
  /** Runs the body of a function in the page; it returns a text. */
  run: (body: string) => Promise<string>;
  /** Moves the mouse there and presses its button. */
  press: (x: number, y: number) => Promise<void>;
  /** Presses one key after the other: letters, or `Tab`, `Enter`, `Escape`. */
  type: (keys: string[]) => Promise<void>;
  resize: (width: number, height: number) => Promise<void>;
  /** Ends the browser. */
  close: () => Promise<void>;
};

/** Input as the WebDriver standards describe it; both protocols take the same. */
const keyCodes: Record<string, string> = { Tab: '\uE004', Enter: '\uE007', Escape: '\uE00C' };

/** Keys pressed one after the other. */
export const keyPresses = (keys: string[]) => ({
  type: 'key',
  id: 'keyboard',
  actions: keys.flatMap((key) =>
    ['keyDown', 'keyUp'].map((type) => ({ type, value: keyCodes[key] ?? key })),
  ),
});

export const mousePress = (x: number, y: number) => ({
  type: 'pointer',
  id: 'mouse',
  parameters: { pointerType: 'mouse' },
  actions: [
    { type: 'pointerMove', x, y },
    { type: 'pointerDown', button: 0 },
    { type: 'pointerUp', button: 0 },
  ],
});

/** The first visible element with this selector, and with this name if one is given. */
export type Target = string | [selector: string, name: string];

export class Visitor {
  readonly proxy: TestProxy;
  readonly #tab: Tab;

  constructor(tab: Tab, proxy: TestProxy) {
    this.#tab = tab;
    this.proxy = proxy;
  }

  /** Opens a page and waits for all of its HTML; its scripts and pictures may still come. */
  async goto(path: string) {
    await this.evaluate(() => void Reflect.set(window, 'left', true));
    await this.#tab.navigate(this.proxy.url + path);
    await this.sees(`${path} is here`, arrived, 'here');
  }

  async resize(width: number, height: number) {
    await this.#tab.resize(width, height);
    await this.sees('the window has its size', () => innerWidth, width);
  }

  async press(target: Target) {
    const { x, y } = await this.#place(target);
    await this.#tab.press(x, y);
  }

  async pressAt(x: number, y: number) {
    await this.#tab.press(x, y);
  }

  /** Replaces the text of a field. */
  async fill(selector: string, text: string) {
    const value = (wanted: string) => document.querySelector<HTMLInputElement>(wanted)?.value;
    const select = (wanted: string) => {
      const field = document.querySelector<HTMLInputElement>(wanted);
      field?.select();
      return document.activeElement === field;
    };
    await this.press(selector);
    await this.sees(`${selector} has the focus`, select, true, selector);
    await this.#tab.type([...text]);
    await this.sees(`${selector} says what was typed`, value, text, selector);
  }

  /** A key by its name, or a letter. */
  async key(name: string) {
    await this.#tab.type([name]);
  }

  /** Runs a function in the page, with values that JSON can carry. */
  async evaluate<Args extends unknown[], Result>(
    work: (...args: Args) => Result,
    ...args: Args
  ): Promise<Result> {
    const call = `(${work})(...${JSON.stringify(args)})`;
    return JSON.parse(await this.#tab.run(`return JSON.stringify(${call} ?? null)`));
  }

  /** Waits until a function in the page returns the expected value. A page that is loading returns nothing. */
  async sees<Args extends unknown[], Result>(
    what: string,
    question: (...args: Args) => Result,
    answer: Result,
    ...args: Args
  ) {
    const ask = () => this.evaluate(question, ...args).catch(String);
    await expect.poll(ask, { message: what, intervals }).toEqual(answer);
  }

  async reads(target: Target, text: string | RegExp) {
    const ask = () => this.#look(target).then((found) => found?.text, String);
    const told = expect.poll(ask, { message: `${target}`, intervals });
    await (typeof text === 'string' ? told.toBe(text) : told.toMatch(text));
  }

  async isGone(target: Target) {
    const ask = () => this.#look(target).catch(String);
    await expect.poll(ask, { message: `${target} is gone`, intervals }).toBeNull();
  }

  async isAt(path: string) {
    await this.sees(`the address is ${path}`, () => location.pathname + location.hash, path);
  }

  /** Waits until the page's script has started. */
  async isReady() {
    await this.sees('the page is alive', () => 'alive' in document.documentElement.dataset, true);
  }

  /** The errors that a console would have shown so far. */
  async complaints(): Promise<string[]> {
    return [...(await this.evaluate(notedComplaints)), ...this.proxy.refused];
  }

  async #look(target: Target) {
    const [selector, name] = typeof target === 'string' ? [target] : target;
    return this.evaluate(look, selector, name ?? null);
  }

  /** The middle of an element that does not move and that nothing covers. */
  async #place(target: Target): Promise<{ x: number; y: number }> {
    let place = '';
    await expect
      .poll(
        async () => {
          const before = place;
          const found = await this.#look(target).catch(() => null);
          place = found?.free ? JSON.stringify([found.x, found.y]) : '';
          return place !== '' && place === before;
        },
        { message: `${target} can be pressed`, intervals },
      )
      .toBe(true);
    const [x, y] = JSON.parse(place);
    return { x, y };
  }
}

/** Between two checks, in milliseconds. */
const intervals = [20, 50, 100];

/** Runs in the page: a new document, whose HTML is here to the last element. */
function arrived(): string {
  const isNew = !('left' in window) && location.protocol === 'http:';
  const here = isNew && document.readyState !== 'loading';
  return here ? 'here' : `${location.href} is ${document.readyState}`;
}

/** Runs in the page. Brings what is out of sight into it. */
function look(selector: string, name: string | null) {
  const nameOf = (element: Element) =>
    // biome-ignore lint/performance/useDomNodeTextContent: only text that is shown is a name.
    element.getAttribute('aria-label') ?? (element as HTMLElement).innerText;
  const element = [...document.querySelectorAll(selector)].find(
    (each) =>
      each.checkVisibility({ visibilityProperty: true }) &&
      (name === null || nameOf(each)?.trim() === name),
  );
  if (!element) return null;
  const text = element.textContent?.trim() ?? '';
  const box = element.getBoundingClientRect();
  const [x, y] = [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];
  const proxy = document.elementFromPoint(x, y);
  const isHit = proxy !== null && (element.contains(proxy) || proxy.contains(element));
  // With `content-visibility: auto` it is rendered a frame after its layout; until then, a press misses it.
  const free = isHit && element.checkVisibility({ contentVisibilityAuto: true });
  if (!free) element.scrollIntoView({ block: 'center', behavior: 'instant' });
  return { text, x, y, free };
}
