/** One island that breaks leaves the rest of the page alive, and its own HTML in place and working. */
import type { Page } from '@playwright/test';
import { ContactForm, leadsOf, messages, someWords } from '../support/contact-form.ts';
import { markDocument, open, sameDocument } from '../support/page.ts';
import { postSlugs } from '../support/routes.ts';
import { expect, test } from '../support/test.ts';

const island = (page: Page) => page.locator('[data-island="contact-form"]');

/** Has the island's own code throw whenever React asks for it. */
async function breakIsland(page: Page, name: string, message: string) {
  await page.route(`**/assets/${name}-*.js`, async (route) => {
    const response = await route.fetch();
    const code = await response.text();
    const exported = /export\s*\{\s*([\w$]+) as ([\w$]+)\s*\}/.exec(code);
    const body = `const broken=()=>{throw new TypeError(${JSON.stringify(message)})};export{broken as ${exported?.[2]}}`;
    await route.fulfill({ response, body });
  });
}

test('an island that throws is put back as served and works as plain HTML', async ({
  page,
  app,
  problems,
}) => {
  problems.expect(/this island is broken/);
  await breakIsland(page, 'contact-form', 'this island is broken');
  await open(page, '/contact');
  await markDocument(page);
  const form = new ContactForm(page);
  const words = someWords();
  await form.name.fill(words.name);
  await expect(island(page)).toHaveAttribute('data-state', 'plain');
  await form.expectWords({ name: words.name });

  // The rest of the page is alive: its questions, its bar, its way to other pages.
  await page.evaluate(() => window.scrollTo({ top: 300, behavior: 'instant' }));
  await expect(page.locator('header')).toHaveAttribute('data-scrolled', 'true');
  await page.locator('header').getByRole('link', { name: 'About', exact: true }).first().click();
  await expect(page).toHaveTitle(/About/);
  expect(await sameDocument(page)).toBe(true);
  await page.goBack();
  await expect(page).toHaveTitle(/Contact/);

  await form.send(words);
  await expect(page).toHaveURL('/contact/sent');
  expect(await leadsOf(app, words.email)).toMatchObject([words]);
});

test('a press on an island whose files cannot be fetched is done by the page itself', async ({
  page,
  app,
  problems,
}) => {
  problems.expect(/Failed to load resource|Failed to fetch/);
  await page.route('**/assets/hydrate-*.js', (route) => route.abort());
  const form = new ContactForm(page);
  await form.open();
  const words = someWords();
  await form.send(words);
  await expect(page).toHaveURL('/contact/sent');
  await expect(page.locator('h1')).toHaveText(messages.sent);
  expect(await leadsOf(app, words.email)).toMatchObject([words]);
});

test('a post whose window cannot open is shown as a page', async ({ page, problems }) => {
  problems.expect(/Failed to load resource|Failed to fetch/);
  await page.route('**/assets/post-window-*.js', (route) => route.abort());
  await open(page, '/blog');
  await page.locator(`main a[href="/blog/${postSlugs[0]}"]`).click();
  await expect(page).toHaveURL(`/blog/${postSlugs[0]}`);
  await expect(page.locator('h1')).toBeVisible();
});

test('a behaviour that throws takes no other with it', async ({ page, problems }) => {
  problems.expect(/no storage of this kind/);
  await page.addInitScript(() => {
    const { addEventListener } = EventTarget.prototype;
    HTMLFormElement.prototype.addEventListener = function (
      this: EventTarget,
      ...listener: Parameters<typeof addEventListener>
    ) {
      if (listener[0] === 'input') throw new Error('no storage of this kind');
      addEventListener.apply(this, listener);
    };
  });
  const form = new ContactForm(page);
  await form.open();
  await form.send(someWords());
  await expect(form.status).toHaveText(messages.sent);
});
