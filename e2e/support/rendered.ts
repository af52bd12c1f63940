/**
 * What a visitor would call broken on a rendered page: words cut off or pressed against an edge, words and
 * controls over each other, pictures out of shape, a card alone in its row, a page that scrolls sideways;
 * and what would keep somebody from using it.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, type Page } from '@playwright/test';
import type Axe from 'axe-core';

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Rules of WCAG 2.0 to 2.2, A and AA, and good practice beyond them. */
const all = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

export async function expectAccessible(page: Page, where: string, rules = all) {
  // Once for each document: reading it takes as long as many of its rules.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  const found = await page.evaluate(async (runOnly) => {
    const { run } = Reflect.get(window, 'axe') as typeof Axe;
    // Styles are in the page: there is nothing to fetch for the rules.
    const { violations } = await run({ runOnly, resultTypes: ['violations'], preload: false });
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 160)}`),
    );
  }, rules);
  expect(found, where).toEqual([]);
}

/** Nothing inside `within` is broken at any of these widths. */
export async function expectWhole(page: Page, where: string, widths: number[], within = 'body') {
  await wholePage(page);
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    expect.soft(await faults(page, within), `${where} at ${width}`).toEqual([]);
  }
}

/** Lays out all of the page and loads its pictures, also what is far from the screen. */
async function wholePage(page: Page) {
  await page.evaluate(async () => {
    document.documentElement.dataset.whole = '';
    for (const image of document.images) image.loading = 'eager';
    await Promise.all([...document.images].map((image) => image.decode()));
    await document.fonts.ready;
  });
}

/** Every fault inside `within`, each as a sentence. */
export const faults = (page: Page, within = 'body') => page.evaluate(findFaults, within);

/** Runs in the page, so it can use nothing from outside. */
function findFaults(within: string): string[] {
  type Box = Pick<DOMRect, 'left' | 'top' | 'right' | 'bottom'>;
  type Line = { box: Box; owner: Element; text: string };
  type Edge = { edge: Box; name: string };
  const root = document.querySelector(within) ?? document.body;
  const slack = 1;
  /** Letters fill about three fifths of the height that a line of text reports. */
  const ink = ({ left, top, right, bottom, height }: DOMRect): Box => ({
    left,
    top: top + 0.2 * height,
    right,
    bottom: bottom - 0.2 * height,
  });
  const isShown = (element: Element) =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
    // Hidden from view: texts for screen readers, the honeypot, the skip link.
    !element.closest('.visually-hidden, label:has([name=leave_empty]), a[href="#main"]') &&
    (within !== 'body' || !element.closest('dialog, [popover]'));
  const overlap = (a: Box, b: Box) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > slack &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > slack;

  function textLines(): Line[] {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const found: Line[] = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const owner = node.parentElement;
      const text = node.textContent?.trim();
      if (!owner || !text || !isShown(owner)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const box of range.getClientRects()) {
        if (box.width > 0) found.push({ box: ink(box), owner, text: text.slice(0, 50) });
      }
    }
    return found;
  }

  const far = 1e6;
  const everywhere: Box = { left: -far, top: -far, right: far, bottom: far };
  const screen = { left: 0, right: document.documentElement.clientWidth };
  const screenEdges: Edge[] = [{ edge: { ...everywhere, ...screen }, name: 'the screen' }];
  const knownEdges = new Map<Element, Edge[]>([[document.body, screenEdges]]);
  const cuts = (overflow: string) => overflow === 'hidden' || overflow === 'clip';

  /** The edges beyond which nothing of the element can be seen or scrolled to. */
  function edgesAround(element: Element): Edge[] {
    const known = knownEdges.get(element);
    if (known) return known;
    const { overflowX, overflowY, position } = getComputedStyle(element);
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const edge = {
      ...everywhere,
      ...(cuts(overflowX) && { left, right }),
      ...(cuts(overflowY) && { top, bottom }),
    };
    const own = { edge, name: `<${element.localName} class="${element.className}">` };
    // What scrolls sideways in a box of its own can be reached there.
    const isReached = overflowX === 'auto' || overflowX === 'scroll';
    const parent = position === 'fixed' ? null : element.parentElement;
    const around = parent ? edgesAround(parent) : screenEdges;
    const edges = isReached ? [own] : [own, ...around];
    knownEdges.set(element, edges);
    return edges;
  }

  const beyond = (box: Box, edge: Box) =>
    Math.max(
      edge.left - box.left,
      edge.top - box.top,
      box.right - edge.right,
      box.bottom - edge.bottom,
    );

  const lines = textLines();
  const controls = [...root.querySelectorAll('a, button, input, textarea, summary')]
    .filter(isShown)
    .flatMap((owner) =>
      [...owner.getClientRects()].map(({ left, top, right, bottom }) => ({
        box: { left, top, right, bottom },
        owner,
      })),
    );
  const named = (owner: Element) =>
    `<${owner.localName}> "${(owner.textContent || owner.getAttribute('name') || '').trim().slice(0, 40)}"`;

  const cutOff = lines.flatMap(({ box, owner, text }) =>
    edgesAround(owner)
      .filter(({ edge }) => beyond(box, edge) > slack)
      .map(
        ({ edge, name }) =>
          `"${text}" is cut off by ${Math.round(beyond(box, edge))} px at ${name}`,
      ),
  );

  const margin = 12;
  const tooClose = lines.flatMap(({ box, owner, text }) => {
    const card = owner.closest('article:not(:has(h1))');
    const gap =
      card && getComputedStyle(card).borderRadius !== '0px'
        ? -beyond(box, card.getBoundingClientRect())
        : margin;
    return gap >= 0 && gap < margin
      ? [`"${text}" stands ${Math.round(gap)} px from the edge of its card`]
      : [];
  });

  const wordsOverWords = lines.flatMap((a, at) =>
    lines
      .slice(at + 1)
      .filter((b) => overlap(a.box, b.box))
      .map((b) => `"${a.text}" and "${b.text}" lie over each other`),
  );

  const overControls = controls.flatMap(({ box, owner }, at) => [
    ...controls
      .slice(at + 1)
      .filter((other) => other.owner !== owner && overlap(box, other.box))
      .filter((other) => !owner.contains(other.owner))
      .map((other) => `${named(owner)} and ${named(other.owner)} lie over each other`),
    ...lines
      .filter((line) => !owner.contains(line.owner) && overlap(box, line.box))
      .map(({ text }) => `"${text}" lies over ${named(owner)}`),
  ]);

  const misshapen = [...root.querySelectorAll('img')].filter(isShown).flatMap((image) => {
    const { naturalWidth, naturalHeight, clientWidth, clientHeight } = image;
    if (naturalWidth === 0) return [`${image.src} is not there`];
    if (getComputedStyle(image).objectFit !== 'fill') return [];
    const stretch = clientWidth / clientHeight / (naturalWidth / naturalHeight);
    return Math.abs(stretch - 1) > 0.02
      ? [`${image.src} is stretched by ${stretch.toFixed(2)}`]
      : [];
  });

  /** Rows of cards or buttons whose last one stands alone and narrow, as if something were missing. */
  const groups = [...root.querySelectorAll('main :is(div, ul, ol)')].filter((group) => {
    const children = [...group.children];
    const isOfOneKind = new Set(children.map(({ localName }) => localName)).size === 1;
    const isEntry = (child: Element) =>
      child.matches('article, a, button') || (child.matches('li') && child.querySelector('h3'));
    return children.length > 1 && isOfOneKind && children.every(isEntry);
  });
  const aloneInRow = groups.flatMap((group) => {
    const boxes = [...group.children].map((child) => child.getBoundingClientRect());
    const last = boxes.at(-1) as DOMRect;
    const isWithLast = (box: DOMRect) => box.top < last.bottom && box.bottom > last.top;
    const isAlone = boxes.filter(isWithLast).length === 1;
    const above = boxes.filter((box) => box.bottom <= last.top + 1);
    const isRow = above.some((one) =>
      above.some((two) => one !== two && one.left >= two.right && one.top < two.bottom),
    );
    const isNarrow = last.width < 0.9 * group.getBoundingClientRect().width;
    return isAlone && isRow && isNarrow
      ? [`"${group.lastElementChild?.textContent?.slice(0, 40)}" of ${boxes.length} stands alone`]
      : [];
  });

  const scroller = root instanceof HTMLBodyElement ? document.documentElement : root;
  const sideways = scroller.scrollWidth - scroller.clientWidth;
  const all = [
    ...(sideways > 0 ? [`it scrolls sideways by ${sideways} px`] : []),
    ...cutOff,
    ...tooClose,
    ...wordsOverWords,
    ...overControls,
    ...misshapen,
    ...aloneInRow,
  ];
  // One fault often shows in every line of a text.
  return [...new Set(all)].slice(0, 12);
}
