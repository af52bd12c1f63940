/** The contact form as plain HTML. */
import { ContactForm, leadsOf, messages, someWords } from '../support/contact-form.ts';
import { expect, test } from '../support/test.ts';

test.use({ javaScriptEnabled: false });

for (const [path, location] of [
  ['/', 'homepage'],
  ['/contact', 'contact'],
] as const) {
  test(`a message from ${path} ends on a page that says so`, async ({ page, app }) => {
    const form = new ContactForm(page);
    await page.goto(path);
    const words = someWords();
    await form.send(words);
    await expect(page).toHaveURL('/contact/sent');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(messages.sent);
    expect(await leadsOf(app, words.email)).toMatchObject([
      { ...words, form_location: location, held: false },
    ]);
  });
}

test('the browser itself asks for what is required', async ({ page }) => {
  const form = new ContactForm(page);
  await page.goto('/contact');
  await form.send({ name: 'Ada' });
  await expect(page).toHaveURL('/contact');
  await expect(form.email).toBeFocused();
  await form.expectWords({ name: 'Ada' });
});

test('a mistake ends on a page with the message and the typed words, from which it can be sent', async ({
  page,
  app,
  problems,
}) => {
  problems.expect(/status of 422/);
  const form = new ContactForm(page);
  await page.goto('/');
  const right = someWords({
    name: '<b>"Ada"</b> & Co {{email}}',
    message: 'First line\n</textarea><script>1</script>\n\tlast line',
  });
  const steps = [
    { ...right, email: 'ada@example' },
    { ...right, name: '   ' },
    { ...right, message: 'x'.repeat(5001) },
  ];
  const complaints = [
    messages.email,
    messages.required,
    'Message is too long: at most 5000 characters',
  ];

  for (const [index, words] of steps.entries()) {
    await form.send(words);
    await expect(form.status).toHaveText(complaints[index] ?? '');
    await form.expectWords(words);
    expect(page.url()).toContain('/api/contacts');
  }
  await expect(page).toHaveTitle(/Message Not Sent/);
  await expect(page.locator('meta[name=robots]')).toHaveAttribute('content', 'noindex');

  await form.send(right);
  await expect(page).toHaveURL('/contact/sent');
  expect(await leadsOf(app, right.email)).toMatchObject([{ ...right, form_location: 'homepage' }]);
});
