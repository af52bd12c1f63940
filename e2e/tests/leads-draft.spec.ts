/** What a visitor typed is not lost before it is sent. */
import { ContactForm, leadsOf, messages, someWords } from '../support/contact-form.ts';
import { Gate } from '../support/page.ts';
import { expect, test } from '../support/test.ts';

test('a draft survives a reload and a detour in the same tab, and stays in that tab', async ({
  page,
  context,
}) => {
  const form = new ContactForm(page);
  const words = someWords({ message: 'First line\nsecond line' });
  await form.open();
  await form.fill(words);

  await page.reload();
  await form.ready();
  await form.expectWords(words);

  // A fresh load, in which the browser itself restores nothing.
  await page.goto('/about');
  await form.open();
  await form.expectWords(words);

  const other = new ContactForm(await context.newPage());
  await other.open();
  await other.expectWords({ name: '', email: '', phone: '', message: '' });
});

test('a draft is gone once it was sent', async ({ page }) => {
  const form = new ContactForm(page);
  await form.open();
  await form.send(someWords());
  await expect(form.status).toHaveText(messages.sent);
  await page.goto('/about');
  await form.open();
  await form.expectWords({ name: '', email: '', phone: '', message: '' });
});

for (const path of ['/', '/contact']) {
  test(`what is typed on ${path} before the script arrives is kept and can be sent`, async ({
    page,
    app,
  }) => {
    const gate = await Gate.before(page, /\/assets\/[^/]+\.js$/);
    const form = new ContactForm(page);
    await page.goto(path);
    const words = someWords();
    await form.fill(words);
    await expect(form.root).toHaveJSProperty('noValidate', false);

    gate.open();
    await form.ready();
    await form.expectWords(words);
    await form.button.click();
    await expect(form.status).toHaveText(messages.sent);
    expect(await leadsOf(app, words.email)).toMatchObject([words]);
  });
}

test('what is typed before the script arrives wins over an older draft', async ({ page }) => {
  const form = new ContactForm(page);
  await form.open();
  await form.fill({ name: 'Older', message: 'Older words' });

  const gate = await Gate.before(page, /\/assets\/[^/]+\.js$/);
  await page.goto('/about');
  await page.goto('/contact');
  await form.fill({ message: 'Newer words' });
  await form.expectWords({ name: '' });
  gate.open();
  await form.ready();
  await form.expectWords({ name: 'Older', message: 'Newer words' });
});
