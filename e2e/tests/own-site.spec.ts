/** A site that an owner made by content alone: with colours and a mark of their own, and a post full of wide things. */
import { execFile } from 'node:child_process';
import { appendFile, cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';
import { frozen } from '../../web/build/testing/frozen.ts';
import { phonePhoto } from '../../web/build/testing/photo.ts';
import { App } from '../support/app.ts';
import { open } from '../support/page.ts';
import { expectAccessible, expectWhole } from '../support/rendered.ts';
import { expect, test } from '../support/test.ts';

const mark =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><circle cx="20" cy="10" r="10" fill="#0a0"/></svg>';
/** The look's own colours are far from these, in hue and in lightness. */
const brand = '[brand]\nmark = "own.svg"\naccent = "#facc15"\nhighlight = "#1d4ed8"\n';

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

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// They share the site, which is built once, from a copy of the tests' content, as an owner would build it.
test.describe.configure({ mode: 'default' });

let folder: string;
let app: App;
/** The address of one of its pages. */
const own = (path: string) => app.url + path;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'own-site-'));
  const content = join(folder, 'content');
  const dist = join(folder, 'dist');
  await cp(frozen.content, content, { recursive: true });
  await appendFile(join(content, 'site.toml'), `\n${brand}`);
  await writeFile(join(content, 'own.svg'), mark);
  await writeFile(join(content, 'posts/wide-post.md'), post);
  await writeFile(join(content, 'posts/wide.jpg'), await phonePhoto({ height: 500 }));
  const env = { ...process.env, FRONTDOOR_CONTENT: content, FRONTDOOR_WEB_DIST: dist };
  const program = at('../../web/build/build.ts');
  await promisify(execFile)(process.execPath, [program], { cwd: at('../../web/'), env });
  app = await App.start({ FRONTDOOR_SITE: dist });
});

test.afterAll(async () => {
  await app.dispose();
  await rm(folder, { recursive: true, force: true });
});

const paths = ['/services', '/pricing', '/about', '/blog', '/contact', '/privacy', '/nowhere', '/'];

test('in the owner’s colours every text is as readable, and the mark stands beside the name', async ({
  page,
  request,
  problems,
}) => {
  problems.expect(/404/);
  for (const path of paths) {
    await open(page, own(path));
    await expectAccessible(page, path, ['color-contrast']);
  }
  for (const place of ['header', 'footer']) {
    const image = page.locator(`${place} a[href="/"] img`);
    await expect(image).toHaveAttribute('alt', '');
    await expect.poll(() => image.evaluate((node: HTMLImageElement) => node.naturalWidth)).toBe(32);
  }
  expect(await (await request.get(own('/favicon.svg'))).text()).toContain('viewBox="0 0 40 20"');
});

const path = '/blog/wide-post';
const inWindow = async (page: Page) => {
  await open(page, own('/blog'));
  await page.locator(`main a[href="${path}"]`).click();
  await expect(page.locator('dialog [data-prose] table').first()).toBeVisible();
};
const places = {
  'its page': { within: 'body', show: (page: Page) => open(page, own(path)) },
  'its window': { within: 'dialog', show: inWindow },
};

for (const [place, { within, show }] of Object.entries(places)) {
  test(`on ${place} a wide post is whole at every width, and what is wide scrolls in its own box`, async ({
    page,
  }) => {
    await show(page);
    for (const width of [1920, 1024, 768, 360]) {
      await expectWhole(page, place, [width], within);
      expect.soft(await outside(page, within), `${place} at ${width}`).toEqual([]);
    }

    const boxes = page.locator(`${within} [data-prose] [role=region]`);
    const names = [
      'Table: A heading with …',
      'Code: A heading with …',
      'Code: A heading with … 2',
      'Table: A heading with … 2',
    ];
    await expect(boxes).toHaveCount(names.length);
    for (const [index, name] of names.entries()) {
      const box = boxes.nth(index);
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
