/** A click on a bare part of the page goes to the top; a click that means something else never does. */
import type { Page } from '@playwright/test';
import { jumpTo, noteOwnScrolls, open, ownScrolls, scrollY } from '../support/page.ts';
import { expect, test } from '../support/test.ts';

const start = 700;

/** With reduced motion a scroll ends at once, so it has ended when the handlers of the click have. */
async function expectNoScroll(page: Page, why: string) {
  expect(await scrollY(page), why).toBe(start);
}

/** Puts something into the page's content, in the middle of the screen, and returns its place. */
async function place(page: Page, html: string) {
  return page.evaluate((source) => {
    // A field leaves the page as it would at a visitor's hand: without focus.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    document.getElementById('placed')?.remove();
    const box = document.createElement('div');
    box.id = 'placed';
    box.innerHTML = source;
    Object.assign(box.style, { position: 'fixed', top: '300px', left: '300px', zIndex: '5' });
    document.getElementById('main')?.append(box);
    const target = box.querySelector('[data-target]') ?? box.firstElementChild;
    if (target instanceof HTMLElement) {
      Object.assign(target.style, { minWidth: '60px', minHeight: '40px' });
    }
    const { x, y, width, height } = target?.getBoundingClientRect() ?? new DOMRect();
    return { x: x + width / 2, y: y + height / 2 };
  }, html);
}

async function openInTheMiddle(page: Page) {
  await open(page, '/privacy');
  await jumpTo(page, start);
}

test('a click on anything one can use, watch or focus leaves the page where it is', async ({
  page,
}) => {
  await openInTheMiddle(page);
  const things = [
    '<a href="#placed">a link</a>',
    '<a href="#placed"><strong data-target>a word in a link</strong></a>',
    '<button type="button">a button</button>',
    '<button type="button"><svg data-target width="40" height="40"></svg></button>',
    '<input>',
    '<input type="checkbox">',
    '<input disabled value="a field at rest">',
    '<textarea></textarea>',
    '<select><option>a choice</option></select>',
    '<label>a label</label>',
    '<details><summary>a summary</summary>its text</details>',
    '<details open><summary>a summary</summary><p data-target>its text</p></details>',
    '<dialog open>a dialog</dialog>',
    '<img alt="a picture" width="60" height="40">',
    '<picture><img data-target alt="a picture" width="60" height="40"></picture>',
    '<video width="60" height="40"></video>',
    '<audio controls></audio>',
    '<canvas width="60" height="40"></canvas>',
    '<div tabindex="0">focusable</div>',
    '<div tabindex="-1"><p data-target>inside something focusable</p></div>',
    '<section tabindex="0"><p data-target>inside a section that scrolls</p></section>',
    '<div contenteditable="true">editable</div>',
    '<span role="button">acts as a button</span>',
  ];
  for (const html of things) {
    const { x, y } = await place(page, html);
    await page.mouse.click(x, y);
    await expectNoScroll(page, html);
    if (html.startsWith('<select')) await page.keyboard.press('Escape');
  }
  // Plain words at the same place do scroll: the clicks above were real.
  const { x, y } = await place(page, '<p>Plain words</p>');
  await page.mouse.click(x, y);
  await expect.poll(() => scrollY(page)).toBe(0);
});

test('of all presses on bare ground only a plain click goes to the top, at once with reduced motion', async ({
  page,
}) => {
  await openInTheMiddle(page);
  for (const button of ['right', 'middle'] as const) {
    await page.mouse.click(40, 450, { button });
    await expectNoScroll(page, button);
  }
  for (const key of ['Shift', 'Control', 'Alt', 'Meta']) {
    await page.keyboard.down(key);
    await page.mouse.click(40, 450);
    await page.keyboard.up(key);
    await expectNoScroll(page, key);
  }

  const { x, y } = await place(page, '<p>Plain words, enough of them to select some</p>');
  await page.mouse.move(x - 80, y);
  await page.mouse.down();
  await page.mouse.move(x + 80, y, { steps: 4 });
  await page.mouse.up();
  expect(await page.evaluate(() => String(getSelection()).length)).toBeGreaterThan(3);
  await expectNoScroll(page, 'the end of a selection');
  await page.mouse.click(40, 450);
  await expectNoScroll(page, 'the click that clears it');

  // Without a selection the distance alone tells a drag from a click.
  await page.evaluate(() => void Object.assign(document.body.style, { userSelect: 'none' }));
  await page.mouse.move(30, 400);
  await page.mouse.down();
  await page.mouse.move(30, 460, { steps: 4 });
  await page.mouse.up();
  await expectNoScroll(page, 'a drag');

  await noteOwnScrolls(page);
  await page.mouse.click(40, 450);
  await expect.poll(() => scrollY(page)).toBe(0);
  expect(await ownScrolls(page)).toEqual([0]);
});
