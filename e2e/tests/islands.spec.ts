/** Islands: React comes when a visitor touches a piece that needs it, and nothing done before is lost. */
import type { Page, Request } from '@playwright/test';
import { ContactForm, leadsOf, messages, someWords } from '../support/contact-form.ts';
import { Gate, markDocument, open, sameDocument, settled, stopClock } from '../support/page.ts';
import { pages, postSlugs } from '../support/routes.ts';
import { expect, test } from '../support/test.ts';

const island = (page: Page, name: string) => page.locator(`[data-island="${name}"]`);
const isReact = (request: Request) => /\/hydrate-[^/]*\.js$/.test(request.url());
/** The files of islands, not the script that every page begins with. */
const islandFiles = /\/assets\/(?!entry)[^/]+\.js$/;

for (const path of [...pages, '/nowhere', '/blog/nowhere']) {
  test(`${path} asks for one script and no React before it is touched`, async ({
    page,
    problems,
  }) => {
    if (path.endsWith('nowhere')) problems.expect(/404/);
    const scripts: string[] = [];
    page.on('request', (request) => {
      if (request.resourceType() === 'script') scripts.push(request.url());
    });
    await open(page, path);
    await page.evaluate(() => window.scrollTo({ top: 99_999, behavior: 'instant' }));
    await settled(page);
    expect(scripts).toEqual([expect.stringMatching(/\/assets\/entry-client-[^/]+\.js$/)]);
  });
}

const touches: [how: string, touch: (page: Page) => Promise<void>][] = [
  ['the pointer', (page) => new ContactForm(page).name.hover()],
  ['the keyboard', (page) => new ContactForm(page).email.focus()],
  ['a finger', (page) => new ContactForm(page).message.dispatchEvent('touchstart')],
];
for (const [how, touch] of touches) {
  test(`${how} wakes the contact form, and no other island`, async ({ page }) => {
    await open(page, '/contact');
    await expect(island(page, 'contact-form')).not.toHaveAttribute('data-state');
    const react = page.waitForRequest(isReact);
    await touch(page);
    await react;
    await expect(island(page, 'contact-form')).toHaveAttribute('data-state', 'awake');
  });
}

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
  await expect(island(page, 'contact-form')).not.toHaveAttribute('data-state');
  await form.expectWords(words);
  gate.open();
  await expect(form.status).toHaveText(messages.sent);
  await expect(page).toHaveURL('/contact');
  expect(await leadsOf(app, words.email)).toMatchObject([words]);
});

test('an empty form pressed at once answers in its own words', async ({ page }) => {
  await open(page, '/contact');
  const form = new ContactForm(page);
  await form.button.click();
  await expect(form.status).toHaveText(messages.required);
  await expect(form.name).toBeFocused();
});

test('Enter in the newsletter form is a press, too', async ({ page }) => {
  const gate = await Gate.before(page, islandFiles);
  await open(page, '/blog');
  const newsletter = page.locator('form[action="/api/newsletter"]');
  await newsletter.locator('[name=email]').fill('not an address');
  await page.keyboard.press('Enter');
  gate.open();
  await expect(newsletter.locator('[aria-live]')).toHaveText('Please enter a valid email address');
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
  await expect(page).toHaveURL('/contact/sent');
  expect(await leadsOf(app, words.email)).toMatchObject([words]);
});

test('a post pressed while its window wakes opens in the window', async ({ page }) => {
  const gate = await Gate.before(page, islandFiles);
  await open(page, '/blog');
  await markDocument(page);
  // A press waits for three seconds at most, and a busy machine may take longer.
  await stopClock(page);
  await page.locator(`main a[href="/blog/${postSlugs[0]}"]`).click();
  gate.open();
  await expect(page.getByRole('dialog').locator('[data-prose] p').first()).toBeVisible();
  expect(await sameDocument(page)).toBe(true);
  await expect(page).toHaveURL('/blog');
});

test('an island of the next page wakes too, and that of the page left is gone', async ({
  page,
}) => {
  const form = new ContactForm(page);
  await form.open('/');
  await form.name.fill('Ada');
  await expect(island(page, 'contact-form')).toHaveAttribute('data-state', 'awake');
  await page.locator('header').getByRole('link', { name: 'Contact', exact: true }).first().click();
  await expect(page).toHaveTitle(/Contact/);
  await expect(island(page, 'contact-form')).toHaveCount(1);
  await expect(island(page, 'contact-form')).not.toHaveAttribute('data-state');
  const words = someWords();
  await form.send(words);
  await expect(form.status).toHaveText(messages.sent);
});
