/** On a phone the chat never covers a booking link or a form. */
import type { Page } from '@playwright/test';
import { bundleLimit, conversation, launcher, test } from '../support/chat-test.ts';
import { site } from '../support/site.ts';
import { expect } from '../support/test.ts';

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
test.describe.configure({ timeout: 120_000 });

const pages = ['/', '/services', '/contact', '/blog', '/pricing'];

/**
 * Scrolls through the page in small steps. At each one the point test says
 * what a finger would hit in the middle and at the ends of everything that
 * must stay free.
 */
async function walk(page: Page): Promise<{ covered: string[]; shown: number; aside: number }> {
  return page.evaluate(async (booking) => {
    // The page hears of a scroll and looks around in the next frame; after that it is idle.
    const looked = async () => {
      await new Promise((frame) => requestAnimationFrame(frame));
      await new Promise((idle) => requestIdleCallback(idle, { timeout: 2000 }));
    };
    const floating = () => document.querySelector<HTMLElement>('#voiceflow-chat, [data-floats]');
    const mustStayFree = () => [
      ...document.querySelectorAll<HTMLElement>(
        `a[href="${booking}"], main form :is(input, textarea, button)`,
      ),
    ];
    const hit = (x: number, y: number) => document.elementFromPoint(x, y);
    const result = { covered: [] as string[], shown: 0, aside: 0 };
    for (let top = 0; top < document.body.scrollHeight; top += 90) {
      scrollTo({ top, behavior: 'instant' });
      await looked();
      const chat = floating();
      if (!chat) throw new Error('there is no chat on this page');
      if (chat.inert) result.aside += 1;
      else result.shown += 1;
      for (const element of mustStayFree()) {
        const { left, right, top, bottom } = element.getBoundingClientRect();
        for (const x of [left + 2, (left + right) / 2, right - 2]) {
          for (const y of [top + 2, (top + bottom) / 2, bottom - 2]) {
            const over = hit(x, y);
            if (over && chat.contains(over))
              result.covered.push(`${element.outerHTML.slice(0, 80)} at ${scrollY}`);
          }
        }
      }
    }
    return result;
  }, site.booking_url);
}

test('our own button makes way', async ({ page, startChat }) => {
  const { url } = await startChat('click');
  for (const path of pages) {
    await page.goto(url + path);
    await expect(page.locator('body > * > aside > [data-floats]')).toBeAttached();
    const { covered, shown, aside } = await walk(page);
    expect(covered, path).toEqual([]);
    expect(shown, `${path}: steps with the button`).toBeGreaterThan(5);
    expect(aside, `${path}: steps without`).toBeGreaterThan(0);
  }
});

test("the provider's launcher makes way, and comes back", async ({ page, startChat }) => {
  const { url } = await startChat();
  for (const path of ['/', '/contact']) {
    await page.goto(url + path);
    await expect(launcher(page)).toBeAttached(bundleLimit);
    const { covered, shown, aside } = await walk(page);
    expect(covered, path).toEqual([]);
    expect(shown, `${path}: steps with the launcher`).toBeGreaterThan(5);
    expect(aside, `${path}: steps without`).toBeGreaterThan(0);
  }
});

test('an open conversation stays, wherever the page stands', async ({ page, startChat }) => {
  const { url } = await startChat();
  await page.goto(`${url}/terms`);
  await expect(launcher(page)).toBeVisible(bundleLimit);
  await launcher(page).click();
  await expect(conversation(page)).toBeVisible();
  await page.evaluate(() => document.querySelector('footer a[target]')?.scrollIntoView());
  await expect(page.locator('#voiceflow-chat')).not.toHaveAttribute('inert');
  await page.locator('#voiceflow-chat .vfrc-header--button').first().click();
  await expect(launcher(page)).toBeVisible();
});
