/** Whatever an owner puts into a post stays on the screen: on its page, and in its window over the list. */
import type { Page } from '@playwright/test';
import { expectAccessible } from '../support/axe.ts';
import { testWith } from '../support/own-site.ts';
import { open } from '../support/page.ts';
import { faults, wholePage } from '../support/rendered.ts';
import { expect } from '../support/test.ts';

const widths = [360, 768, 1024, 1440, 1920];
const word = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';
const address = `https://example.com/${'a-long-address/'.repeat(12)}`;
const cells = Array.from({ length: 14 }, (_, at) => `Column ${at + 1}`);
const row = (texts: string[]) => `| ${texts.join(' | ')} |`;
const deepList = Array.from(
  { length: 8 },
  (_, at) => `${'  '.repeat(at)}- Level ${at + 1} ${word}`,
);

const post = `+++
title = "A wide post about ${word}"
short_title = "A wide post"
excerpt = "An excerpt with ${word} in it."
description = "A post made by a test."
date = 2026-11-06
categories = ["Samples"]
picture = { file = "wide.jpg", alt = "A page of this site" }
sources = [{ label = "${word} and ${address}", url = "${address}" }]
+++

A word that is too long: ${word}${word}. [${address}](${address})

## A heading with ${word}

${row(cells)}
${row(cells.map(() => '---'))}
${row(cells.map((_, at) => `value-that-is-kept-whole-${at}`))}

\`\`\`
${'a line of code that goes on and on; '.repeat(20)}
\`\`\`

Among words \`${'code_without_a_space_'.repeat(12)}\` too.

![A page of this site](wide.jpg "A caption with ${word}${word}")

${deepList.join('\n')}

> A quote: ${word}${word}
>
> \`\`\`
> ${'code in a quote, '.repeat(30)}
> \`\`\`

1. A step

   ${row(cells)}
   ${row(cells.map(() => '---'))}
   ${row(cells)}
`;

const test = testWith(async (browser) => {
  const page = await browser.newPage({ viewport: { width: 1600, height: 500 } });
  await page.setContent('<body style="background: linear-gradient(90deg, indigo, coral)">');
  const photo = await page.screenshot({ type: 'jpeg' });
  await page.close();
  return { 'posts/wide-post.md': post, 'posts/wide.jpg': photo };
});
test.describe.configure({ mode: 'default' });

const path = '/blog/wide-post';
const inWindow = async (page: Page) => {
  await open(page, '/blog');
  await page.locator(`main a[href="${path}"]`).click();
  await expect(page.locator('dialog [data-prose] table').first()).toBeVisible();
};
const places = {
  'its page': { within: 'body', show: (page: Page) => open(page, path) },
  'its window': { within: 'dialog', show: inWindow },
};

for (const [place, { within, show }] of Object.entries(places)) {
  test(`on ${place} a wide post is whole at every width`, async ({ page }) => {
    await show(page);
    await wholePage(page);
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      expect.soft(await faults(page, within), `${place} at ${width}`).toEqual([]);
      expect.soft(await outside(page, within), `${place} at ${width}`).toEqual([]);
    }
  });

  test(`on ${place} what is wide scrolls in its own box, by keyboard too`, async ({ page }) => {
    await page.setViewportSize({ width: 360, height: 900 });
    await show(page);
    await wholePage(page);
    const boxes = page.locator(`${within} [data-prose] [role=region]`);
    const names = [
      'Table: A heading with …',
      'Code: A heading with …',
      'Code: A heading with … 2',
      'Table: A heading with … 2',
    ];
    await expect(boxes).toHaveCount(names.length);
    for (const [at, name] of names.entries()) {
      const box = boxes.nth(at);
      await expect(box).toHaveAccessibleName(name.replace('…', word));
      expect(await box.evaluate((node) => node.scrollWidth > node.clientWidth)).toBe(true);
      await box.focus();
      await expect(box).toBeFocused();
      await page.keyboard.press('ArrowRight');
      await expect.poll(() => box.evaluate((node) => node.scrollLeft)).toBeGreaterThan(0);
    }
    await expectAccessible(page, place);
  });
}

/** Boxes of the text, not only its words, that reach beyond the column: a table that spills has both. */
const outside = (page: Page, within: string) =>
  page.evaluate((selector) => {
    const prose = document.querySelector(`${selector} [data-prose]`) as Element;
    const { left, right } = prose.getBoundingClientRect();
    return [...prose.querySelectorAll('*')]
      .filter((node) => !node.parentElement?.closest('[role=region]'))
      .filter((node) => {
        const box = node.getBoundingClientRect();
        return box.width > 0 && (box.left < left - 1 || box.right > right + 1);
      })
      .map((node) => `<${node.localName}> "${node.textContent?.slice(0, 40)}"`);
  }, within);
