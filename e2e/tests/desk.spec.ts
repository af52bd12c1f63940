/** The owner's desk: signing in, and a morning with three leads, by keyboard. */
import type { Page } from '@playwright/test';
import type { App } from '../support/app.ts';
import { freePort } from '../support/free-port.ts';
import { expectAccessible } from '../support/rendered.ts';
import { test as base, expect } from '../support/test.ts';

interface Desk {
  app: App;
  url: string;
  /** A lead from this person. */
  write: (name: string) => Promise<void>;
}

const test = base.extend<{ desk: Desk }>({
  desk: async ({ startApp }, use) => {
    const listen = `127.0.0.1:${await freePort()}`;
    const app = await startApp({ FRONTDOOR_DESK_LISTEN: listen });
    const write = async (name: string) => {
      const email = `${name.toLowerCase()}@example.org`;
      const answer = await fetch(`${app.url}/api/contacts`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name, email, message: `Hello from ${name}` }),
      });
      expect(answer.status).toBe(201);
    };
    await use({ app, url: `http://${listen}`, write });
  },
});

async function signIn(page: Page, { app }: Desk): Promise<string> {
  const said = await app.command('desk', 'open', '--name', 'Anna');
  const link = said.trim().split('\n').at(-1) ?? '';
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Inbox' })).toBeVisible();
  return link;
}

const lead = (page: Page, name: string) => page.getByRole('main').getByRole('link', { name });

test('a link signs in once, and without a session there is only the page that says how', async ({
  page,
  desk,
  browser,
}) => {
  const link = await signIn(page, desk);
  expect(page.url(), 'the token is gone from the address').toBe(`${desk.url}/`);
  const other = await browser.newPage();
  await other.goto(link);
  await other.getByRole('button', { name: 'Sign in' }).click();
  await expect(other.getByRole('status')).toContainText('used before');
  await other.goto(`${desk.url}/newsletter`);
  await expect(other.getByText('frontdoor desk open')).toBeVisible();
  await expectAccessible(other, 'the sign-in page');
  await other.close();
});

test('leads appear by themselves and are answered, noted, marked and taken back by keyboard', async ({
  page,
  desk,
}) => {
  await desk.write('Ada');
  await signIn(page, desk);
  await expect(lead(page, 'Ada')).toBeVisible();
  await desk.write('Grace');
  await expect(lead(page, 'Grace')).toBeVisible();
  await expectAccessible(page, 'the inbox');

  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Grace' })).toBeVisible();
  await page.keyboard.press('a');
  await expect(page.getByText('Grace is answered.')).toBeVisible();
  await page.keyboard.press('z');
  await expect(page.getByText('Grace is as before.')).toBeVisible();
  await page.goto(desk.url);
  await lead(page, 'Ada').click();
  await page.getByRole('button', { name: 'Spam' }).click();
  await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible();
  const stored = JSON.parse(await desk.app.command('leads', 'list', '--json'));
  const states = stored.map(({ name, state }: { name: string; state: string }) => [name, state]);
  expect(states).toEqual([
    ['Grace', 'new'],
    ['Ada', 'spam'],
  ]);
});
