/** Every page of the desk on every width, in light and dark, and with text twice as large. */
import type { Page } from '@playwright/test';
import { type Desk, expect, test } from '../support/desk.ts';
import { deskPages, fillDesk, type Look, openAda } from '../support/desk-data.ts';
import { expectAccessible } from '../support/rendered.ts';

/** Widths in pixels, and the size of the text that the browser is told to show. */
const screens = [
  [320, 16],
  [390, 16],
  [768, 16],
  [1440, 16],
  [1920, 16],
  [1280, 32],
] as const;

/** All rules of axe where there is least room; then those that depend on the colours and on the width. */
async function isFine(page: Page, where: string, isEmpty = false) {
  const session = await page.context().newCDPSession(page);
  await session.send('Page.setFontSizes', { fontSizes: { standard: 32 } });
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 320, height: 900 });
  await expectAccessible(page, `${where} in light colours`);
  await session.send('Page.setFontSizes', { fontSizes: { standard: 16 } });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 1440, height: 900 });
  // An empty page has no colours of its own.
  if (!isEmpty)
    await expectAccessible(page, `${where} in dark colours`, ['color-contrast', 'target-size']);
  for (const [width, standard] of screens) {
    await session.send('Page.setFontSizes', { fontSizes: { standard } });
    await page.setViewportSize({ width, height: 900 });
    const beyond = () => {
      const scrolled = [document.documentElement, ...document.querySelectorAll('main')];
      return Math.max(...scrolled.map((each) => each.scrollWidth - each.clientWidth));
    };
    const at = `${where} at ${width} with text of ${standard} scrolls sideways`;
    expect.soft(await page.evaluate(beyond), at).toBe(0);
  }
  await session.send('Page.setFontSizes', { fontSizes: { standard: 16 } });
  await session.detach();
}

async function look(page: Page, desk: Desk, looks: Look[], isEmpty = false) {
  for (const [where, path, text, then] of looks) {
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(desk.url + path);
    await expect(page.getByText(text).first()).toBeVisible();
    await then?.(page);
    await isFine(page, where, isEmpty);
  }
}

const openReply = async (page: Page) => {
  await openAda(page);
  await page.keyboard.press('r');
  await expect(page.frameLocator('iframe').getByText('Hello Ada')).toBeVisible();
};
const openKeys = async (page: Page) => {
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible();
};

test('each page is fine while there is nothing', async ({ page, desk, problems }) => {
  problems.expect(/status of 404/);
  await page.goto(desk.url);
  await isFine(page, 'the sign-in page');
  await desk.signIn(page);
  const looks: Look[] = [
    ['the inbox', '/', 'Nobody has written yet'],
    ['the newsletter', '/newsletter', 'Nothing written yet'],
    ['the issues', '/newsletter/issues', 'No issue was sent yet'],
    ['the numbers', '/numbers', 'No visits in the last 30 days'],
    ['a lead that is gone', '/leads/1', 'This lead doesn’t exist'],
  ];
  await look(page, desk, looks, true);
});

test('each page is fine after some weeks', async ({ page, desk }) => {
  await fillDesk(desk, 40);
  await desk.signIn(page);
  await look(page, desk, [
    ...deskPages,
    ['what is held', '/?view=held', 'Held back for you to decide'],
    ['a search', '/?q=cake', '2 leads with “cake”'],
    ['a search without a result', '/?q=zzz', 'Nothing matches “zzz”'],
    ['a reply', '/', 'less than 4 h left', openReply],
    ['the keys', '/', 'less than 4 h left', openKeys],
    ['the subscribers', '/newsletter/subscribers', 'reader-35@example.org'],
    ['their tables', '/numbers?view=table', 'Nobody can say how many different people'],
  ]);
});
