/** Islands: React loads when a visitor touches one, nothing done before is lost, and a broken one harms nothing else. */
import type { Page } from '@playwright/test';
import { ContactForm, leadsOf, messages, someWords } from '../support/contact-form.ts';
import { barLink, Gate, markDocument, open, sameDocument, stopClock } from '../support/page.ts';
import { postSlugs } from '../support/routes.ts';
import { expect, test } from '../support/test.ts';

const island = (page: Page) => page.locator('[data-island="contact-form"]');
/** The files of islands, not the script that every page begins with. */
const islandFiles = /\/assets\/(?!entry)[^/]+\.js$/;

test('words typed and a press made while the form wakes are kept, and sent once', async ({
  page,
  app,
}) => {
  const gate = await Gate.before(page, islandFiles);
  const form = new ContactForm(page);
  await form.open();
  const words = someWords();
  await form.fill(words);
  await form.button.click();
  await form.button.click();
  await expect(island(page)).not.toHaveAttribute('data-state');
  await form.expectWords(words);
  gate.open();
  await expect(form.status).toHaveText(messages.sent);
  await expect(page).toHaveURL('/contact');
  expect(await leadsOf(app, words.email)).toMatchObject([words]);
});

test('a press waits three seconds for its island, then the form posts by itself', async ({
  page,
  app,
}) => {
  await Gate.before(page, islandFiles);
  const form = new ContactForm(page);
  await form.open();
  const words = someWords();
  await form.fill(words);
  await stopClock(page);
  await form.button.click();
  await page.clock.runFor(2_999);
  await expect(page).toHaveURL('/contact');
  await page.clock.runFor(1);
  await expect(page).toHaveURL(/\/contact\/sent\?lead=/);
  expect(await leadsOf(app, words.email)).toMatchObject([words]);
});

test('a post pressed and a form sent by Enter while their scripts are on the way are not lost', async ({
  page,
}) => {
  const gate = await Gate.before(page, islandFiles);
  await open(page, '/blog');
  await markDocument(page);
  const newsletter = page.locator('form[action="/api/newsletter"]');
  await newsletter.locator('[name=email]').fill('not an address');
  // A press waits for three seconds at most, and a busy machine may take longer.
  await stopClock(page);
  await page.keyboard.press('Enter');
  await page.locator(`main a[href="/blog/${postSlugs[0]}"]`).click();
  gate.open();
  await expect(page.getByRole('dialog').locator('[data-prose] p').first()).toBeVisible();
  await expect(newsletter.locator('[aria-live]')).toHaveText('Please enter a valid email address');
  expect(await sameDocument(page)).toBe(true);
  await expect(page).toHaveURL('/blog');
});

test('an island of the next page wakes too, and that of the page left is gone', async ({
  page,
}) => {
  const form = new ContactForm(page);
  await form.open('/');
  await form.fields.name.fill('Ada');
  await expect(island(page)).toHaveAttribute('data-state', 'awake');
  await barLink(page, 'Contact').click();
  await expect(page).toHaveTitle(/Contact/);
  await expect(island(page)).toHaveCount(1);
  await expect(island(page)).not.toHaveAttribute('data-state');
  const words = someWords();
  await form.send(words);
  await expect(form.status).toHaveText(messages.sent);
});

test('an island that throws is put back as served and works as plain HTML', async ({
  page,
  app,
  problems,
}) => {
  problems.expect(/this island is broken/);
  // Its own code throws whenever React asks for it.
  await page.route('**/assets/contact-form-*.js', async (route) => {
    const response = await route.fetch();
    const exported = /export\s*\{\s*[\w$]+ as ([\w$]+)\s*\}/.exec(await response.text())?.[1];
    const body = `const broken=()=>{throw new TypeError('this island is broken')};export{broken as ${exported}}`;
    await route.fulfill({ response, body });
  });
  await open(page, '/contact');
  await markDocument(page);
  const form = new ContactForm(page);
  const words = someWords();
  await form.fields.name.fill(words.name);
  await expect(island(page)).toHaveAttribute('data-state', 'plain');
  await form.expectWords({ name: words.name });

  // The rest of the page is alive: its bar, its way to other pages.
  await page.evaluate(() => window.scrollTo({ top: 300, behavior: 'instant' }));
  await expect(page.locator('header')).toHaveAttribute('data-scrolled', 'true');
  await barLink(page, 'About').click();
  await expect(page).toHaveTitle(/About/);
  expect(await sameDocument(page)).toBe(true);
  await page.goBack();
  await expect(page).toHaveTitle(/Contact/);

  // It breaks again at the first touch, and what is being typed at that moment is lost with the field.
  await form.fields.name.focus();
  await expect(island(page)).toHaveAttribute('data-state', 'plain');
  await form.send(words);
  await expect(page).toHaveURL(/\/contact\/sent\?lead=/);
  expect(await leadsOf(app, words.email)).toMatchObject([words]);
});

test('what needs files that cannot be fetched is done by the page itself', async ({
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
  await expect(page).toHaveURL(/\/contact\/sent\?lead=/);
  await expect(page.locator('h1')).toHaveText(messages.sent);
  expect(await leadsOf(app, words.email)).toMatchObject([words]);

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
