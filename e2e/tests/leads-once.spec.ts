/** One message is one lead, however often it is sent. */
import type { Page } from '@playwright/test';
import { ContactForm, leadsOf, messages, someWords } from '../support/contact-form.ts';
import { expect, test } from '../support/test.ts';

const api = '**/api/contacts';

/** The next message reaches the server, but its answer does not come back. */
async function loseNextAnswer(page: Page) {
  await page.route(
    api,
    async (route) => {
      const answer = await route.fetch();
      expect(answer.status()).toBe(201);
      await route.abort('connectionreset');
    },
    { times: 1 },
  );
}

test('a double click stores one lead', async ({ page, app }) => {
  const form = new ContactForm(page);
  await form.open();
  const words = someWords();
  await form.fill(words);
  await form.button.dblclick();
  await expect(form.status).toHaveText(messages.sent);
  expect(await leadsOf(app, words.email)).toHaveLength(1);
});

test('two submits in the same instant store one lead', async ({ page, app }) => {
  const form = new ContactForm(page);
  await form.open();
  const words = someWords();
  await form.fill(words);
  await form.root.evaluate((element) => {
    (element as HTMLFormElement).requestSubmit();
    (element as HTMLFormElement).requestSubmit();
  });
  await expect(form.status).toHaveText(messages.sent);
  expect(await leadsOf(app, words.email)).toHaveLength(1);
});

test.describe('after a lost answer', () => {
  test.beforeEach(({ problems }) => {
    problems.expect(/The message could not be sent/);
    problems.expect(/net::ERR_CONNECTION_RESET/);
  });

  test('sending again stores no second lead', async ({ page, app }) => {
    await loseNextAnswer(page);
    const form = new ContactForm(page);
    await form.open();
    const words = someWords();
    await form.send(words);
    await expect(form.status).toHaveText(messages.failed);
    expect(await leadsOf(app, words.email)).toHaveLength(1);

    await form.button.click();
    await expect(form.status).toHaveText(messages.sent);
    expect(await leadsOf(app, words.email)).toHaveLength(1);
  });

  test('sending again after a reload stores no second lead', async ({ page, app }) => {
    await loseNextAnswer(page);
    const form = new ContactForm(page);
    await form.open();
    const words = someWords();
    await form.send(words);
    await expect(form.status).toHaveText(messages.failed);

    await page.reload();
    await form.ready();
    await form.button.click();
    await expect(form.status).toHaveText(messages.sent);
    expect(await leadsOf(app, words.email)).toHaveLength(1);
  });

  test('edited words are stored too', async ({ page, app }) => {
    await loseNextAnswer(page);
    const form = new ContactForm(page);
    await form.open();
    const words = someWords();
    await form.send(words);
    await expect(form.status).toHaveText(messages.failed);

    const edited = `${words.message} And one more thing.`;
    await form.send({ message: edited });
    await expect(form.status).toHaveText(messages.sent);
    const stored = (await leadsOf(app, words.email)).map((lead) => lead.message);
    expect(stored.toSorted()).toEqual([words.message, edited].toSorted());
  });
});

test('the same words sent on purpose, after a success, are a second lead', async ({
  page,
  app,
}) => {
  const form = new ContactForm(page);
  await form.open();
  const words = someWords();
  for (const times of [1, 2]) {
    await form.send(words);
    await expect(form.status).toHaveText(messages.sent);
    expect(await leadsOf(app, words.email)).toHaveLength(times);
  }
});
