/** Every page of the desk on every width, in light and dark, and with text twice as large. */
import type { Page } from '@playwright/test';
import { type Desk, expect, heading, lead, test } from '../support/desk.ts';
import { fillDesk } from '../support/desk-data.ts';
import { expectAccessible } from '../support/rendered.ts';

type Look = [where: string, path: string, shows: string, then?: (page: Page) => Promise<unknown>];

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
async function isFine(page: Page, where: string) {
  const session = await page.context().newCDPSession(page);
  await session.send('Page.setFontSizes', { fontSizes: { standard: 32 } });
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 320, height: 900 });
  await expectAccessible(page, `${where} in light colours`);
  await session.send('Page.setFontSizes', { fontSizes: { standard: 16 } });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 1440, height: 900 });
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

async function look(page: Page, desk: Desk, looks: Look[]) {
  for (const [where, path, text, then] of looks) {
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(desk.url + path);
    await expect(page.getByText(text).first()).toBeVisible();
    await then?.(page);
    await isFine(page, where);
  }
}

const openAda = async (page: Page) => {
  await lead(page, 'Ada').click();
  await expect(heading(page, 'Ada Byron')).toBeVisible();
};
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
  await look(page, desk, [
    ['the inbox', '/', 'Nobody has written yet'],
    ['the newsletter', '/newsletter', 'Nothing written yet'],
    ['the issues', '/newsletter/issues', 'No issue was sent yet'],
    ['the numbers', '/numbers', 'No visits in the last 30 days'],
    ['a lead that is gone', '/leads/1', 'This lead is not here'],
  ]);
});

test('each page is fine after some weeks', async ({ page, desk }) => {
  await fillDesk(desk, 40);
  await desk.signIn(page);
  await look(page, desk, [
    ['the inbox', '/', 'less than 4 h left'],
    ['what is held', '/?view=held', 'Held back for you to decide'],
    ['a search', '/?q=cake', '2 leads with “cake”'],
    ['a search without a result', '/?q=zzz', 'Nothing matches “zzz”'],
    ['a lead', '/', 'less than 4 h left', openAda],
    ['a reply', '/', 'less than 4 h left', openReply],
    ['the keys', '/', 'less than 4 h left', openKeys],
    ['the newsletter', '/newsletter', 'ready to test'],
    ['the issues', '/newsletter/issues', 'Four jobs to give to a script first'],
    ['the subscribers', '/newsletter/subscribers', 'reader-35@example.org'],
    ['the numbers', '/numbers', 'Nobody can say how many different people'],
    ['their tables', '/numbers?view=table', 'Nobody can say how many different people'],
    ['the site', '/site', 'Shown now'],
    ['health', '/health', 'Before you go live'],
  ]);
});
