/** The `test` of the chat assistant: a program and a chat provider of the test's own. */
import type { Page } from '@playwright/test';
import { ChatProvider, type ScriptAnswer } from './chat-provider.ts';
import { markDocument, sameDocument } from './page.ts';
import { test as base, expect } from './test.ts';

type Chat = { provider: ChatProvider; url: string };

export const test = base.extend<{
  startChat: (load?: 'load' | 'click', script?: ScriptAnswer) => Promise<Chat>;
}>({
  startChat: async ({ page, startApp }, use) => {
    const started: ChatProvider[] = [];
    await use(async (load, script) => {
      const provider = await ChatProvider.start(script);
      started.push(provider);
      const app = await startApp(provider.env(load));
      return { provider, url: app.url };
    });
    // The page goes first: an answer cut short would be one more complaint.
    await page.close();
    await Promise.all(started.map((provider) => provider.stop()));
  },
});

/** The bundle is more than a megabyte: a busy machine takes seconds to read it. */
export const bundleLimit = { timeout: 30_000 };

export const launcher = (page: Page) => page.locator('#voiceflow-chat .vfrc-launcher');
export const conversation = (page: Page) => page.locator('#voiceflow-chat textarea');

/** Gathers the page's warnings from now on. */
export function warnings(page: Page): string[] {
  const seen: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'warning') seen.push(message.text());
  });
  return seen;
}

/** Follows a link of the page, without a new document. */
export async function follow(page: Page, name: string, path: string) {
  await markDocument(page);
  await page.getByRole('banner').getByRole('link', { name, exact: true }).click();
  await expect(page).toHaveURL((url) => url.pathname === path);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  expect(await sameDocument(page)).toBe(true);
}
