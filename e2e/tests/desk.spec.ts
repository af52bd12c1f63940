/** The owner's desk: who gets in, and that nothing is lost, whatever happens meanwhile. */

import { DatabaseSync } from 'node:sqlite';
import type { Page } from '@playwright/test';
import { frozen } from '../../web/build/testing/frozen.ts';
import { expect, expectMessage, heading, lead, likeSpam, test } from '../support/desk.ts';
import { Gate } from '../support/page.ts';
import { expectAccessible } from '../support/rendered.ts';

test('a link signs in once, and who is signed out elsewhere is told so', async ({
  page,
  desk,
  browser,
  problems,
}) => {
  problems.expect(/status of 4(01|10)/);
  await desk.write('Ada');
  const link = await desk.link('Ben');
  const other = await browser.newPage();
  // Fetching the link, as a mail scanner does, does not use it up.
  await other.goto(link);
  await expect(other.getByRole('button', { name: 'Sign in' })).toBeFocused();
  // A link from elsewhere can't name another site as the page to show afterwards.
  await page.goto(`${desk.url}/?to=http://x//elsewhere.example/`);
  // From the same page, only the fragment would change, and the page would load itself again.
  await page.goto('about:blank');
  await page.goto(link);
  await expectAccessible(page, 'the sign-in page');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(heading(page, 'Inbox')).toBeVisible();
  expect(page.url(), 'the token is gone from the address').toBe(`${desk.url}/`);
  await other.getByRole('button', { name: 'Sign in' }).click();
  await expectMessage(other, 'used before');
  await other.goto(`${desk.url}/newsletter`);
  await expect(other.getByText('frontdoor desk open')).toBeVisible();

  // After signing in, the page that was requested before is shown.
  await desk.signIn(other, { shows: 'Newsletter' });
  await other.keyboard.press('5');
  await other.getByRole('button', { name: 'Sign out Ben' }).click();
  await expectMessage(other, 'Ben is signed out.');
  await page.keyboard.press('a');
  await expectMessage(page, 'This browser was signed out');
  await other.close();
  expect(await desk.states()).toEqual({ Ada: 'new' });
});

test('a lead that arrives is there within ten seconds', async ({ page, desk }) => {
  await page.clock.install();
  await desk.signIn(page);
  await expect(page.getByText('Nobody has written yet')).toBeVisible();
  await desk.write('Ada');
  await page.clock.fastForward(10_000);
  await expect(lead(page, 'Ada')).toBeVisible();
  await expect(page).toHaveTitle(/1/);
});

test('two browsers at once agree, and the later one is told', async ({
  page,
  desk,
  browser,
  problems,
}) => {
  problems.expect(/status of 409/);
  await desk.write('Ada');
  await desk.signIn(page);
  const other = await browser.newPage();
  await desk.signIn(other, { name: 'Ben' });
  await expect(lead(page, 'Ada')).toBeVisible();
  const gate = await Gate.before(page, /\/inbox\?/);
  await lead(other, 'Ada').click();
  await expect(heading(other, 'Ada')).toBeVisible();
  const text = other.getByRole('textbox', { name: 'Your answer' });
  await other.keyboard.press('r');
  await expect(text).toBeFocused();
  await other.keyboard.press('Escape');
  await expect(text).not.toBeFocused();
  await other.keyboard.press('b');
  await expectMessage(other, 'Ada has a call booked.');
  await page.keyboard.press('a');
  await expectMessage(page, 'Ada is booked now. Nothing was changed.');
  gate.open();
  for (const each of [page, other]) {
    await each.goto(`${desk.url}/?view=booked`);
    await expect(lead(each, 'Ada')).toBeVisible();
  }
  await other.close();
});

test('a server that is killed in the middle of something loses nothing, and the page says so', async ({
  page,
  desk,
  problems,
}) => {
  // A request may have been on its way.
  problems.expect(/ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/);
  await desk.write('Ada');
  await desk.signIn(page);
  await lead(page, 'Ada').click();
  const answer = page.getByRole('textbox', { name: 'Your answer' });
  await expect(heading(page, 'Ada')).toBeVisible();
  const gate = await Gate.before(page, '**/state');
  const asked = page.waitForRequest('**/state');
  await page.keyboard.press('a');
  await asked;
  await desk.app.kill();
  gate.open();
  await expectMessage(page, 'The server isn’t answering. Whether this was done is not known yet.');
  await answer.fill('Hello Ada, yes.');
  await expectMessage(page, 'not saved yet: the server isn’t answering');
  await desk.app.startAgain();
  await expectMessage(page, 'draft kept');
  await expectMessage(page, 'Ada is waiting.');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expectMessage(page, 'Ada is answered.');
  expect(await desk.states()).toEqual({ Ada: 'answered' });
  await page.reload();
  await expect(answer).toHaveValue('Hello Ada, yes.');
});

/** The mail as it will arrive, which is fetched once typing pauses. */
const expectPreview = (page: Page, text: string) =>
  expect(page.frameLocator('iframe').last().getByText(text)).toBeVisible();

test('what was done is told although its answer was lost', async ({ page, desk, problems }) => {
  problems.expect(/ERR_FAILED/);
  const loseAnswer = (path: string) => {
    let isLost = false;
    return page.route(path, async (route) => {
      if (isLost || route.request().method() !== 'POST') return route.fallback();
      isLost = true;
      await route.fetch();
      await route.abort();
    });
  };
  await desk.write('Ada');
  await desk.write('Grace');
  await desk.signIn(page);
  await expect(lead(page, 'Ada')).toBeVisible();
  await loseAnswer('**/state');
  await page.keyboard.press('a');
  await expectMessage(page, 'Ada is answered.');
  expect(await desk.states()).toEqual({ Ada: 'answered', Grace: 'new' });

  await lead(page, 'Grace').click();
  await expect(heading(page, 'Grace')).toBeVisible();
  await page.keyboard.press('r');
  await page.keyboard.type('Yes');
  await loseAnswer('**/reply');
  await page.keyboard.press('Control+Enter');
  await expectMessage(page, 'Your reply to Grace leaves in');
  await loseAnswer('**/call-back');
  await page.getByRole('button', { name: 'Call it back' }).first().click();
  await expectMessage(page, 'Your reply to Grace is called back. Nothing has left.');
  await expectPreview(page, 'Yes');
});

test('a reply that another browser has changed is not sent', async ({
  page,
  desk,
  browser,
  problems,
}) => {
  problems.expect(/status of 409/);
  await desk.write('Ada');
  await desk.signIn(page);
  const other = await browser.newPage();
  await desk.signIn(other, { name: 'Ben' });
  const write = async (at: Page, text: string) => {
    await lead(at, 'Ada').click();
    const saved = at.waitForResponse((answer) => answer.request().method() === 'PUT');
    await at.getByRole('textbox', { name: 'Your answer' }).fill(text);
    await saved;
    await expectMessage(at, 'draft kept');
  };
  await write(page, 'Half a');
  const gate = await Gate.before(page, /\/leads\/[^/]+$/);
  await write(other, 'Half a reply');
  await page.keyboard.press('Control+Enter');
  await expectMessage(page, 'changed in another browser just now');
  gate.open();
  for (const each of [page, other]) {
    await expect(each.getByRole('textbox', { name: 'Your answer' })).toHaveValue('Half a reply');
    await expectPreview(each, 'Half a reply');
  }
  await other.close();
});

test('a reply says that sending is paused after a restore', async ({ page, desk }) => {
  await desk.write('Ada');
  const database = new DatabaseSync(desk.app.database, { timeout: 30_000 });
  database.exec("INSERT INTO sending_pause (paused_at) VALUES ('2026-01-01T00:00:00.000Z')");
  database.close();
  await desk.signIn(page);
  await lead(page, 'Ada').click();
  await expect(heading(page, 'Ada')).toBeVisible();
  await page.keyboard.press('r');
  await expect(page.getByText('Sending is paused')).toBeVisible();
  await page.keyboard.type('Yes');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText('Nothing has left yet')).toBeVisible();
  await expect(page.getByText('leaves in')).toHaveCount(0);
  await expectPreview(page, 'Yes');
});

test('Escape clears the search and leaves it', async ({ page, desk }) => {
  await desk.write('Ada');
  await desk.write('Grace');
  await desk.signIn(page);
  await expect(lead(page, 'Grace')).toBeVisible();
  await page.keyboard.press('/');
  await page.keyboard.type('Ada');
  await expect(lead(page, 'Grace')).toBeHidden();
  await page.keyboard.press('Escape');
  await expect(lead(page, 'Grace')).toBeVisible();
  await expect(page.getByRole('searchbox')).not.toBeFocused();
});

/** Everything that is done with a key in the list, and what is said then. */
const done = [
  ['a', 'Ada is answered.'],
  ['b', 'Ada has a call booked.'],
  ['c', 'Ada is closed.'],
  ['s', 'Ada is marked as spam: nothing more is sent about it.'],
  ['n', 'Ada has your note.'],
] as const;

test('everything is taken back, by z or by the button', async ({ page, desk }) => {
  let times = 0;
  /** One way after the other. */
  const takeBack = async (verb = 'Undo') => {
    // A reply is called back in the composer too, which comes first.
    const button = page.getByRole('button', { name: verb }).first();
    await expect(button).toBeVisible();
    times += 1;
    if (times % 2) await page.keyboard.press('z');
    else await button.click();
  };
  await desk.write('Ada', 'A message of Ada');
  await desk.write('Zed', likeSpam);
  await desk.signIn(page);
  for (const [key, then] of done) {
    await expect(lead(page, 'Ada')).toBeVisible();
    await page.keyboard.press(key);
    if (key === 'n') {
      await page.keyboard.type('Two shops');
      await page.keyboard.press('Control+Enter');
    }
    await expectMessage(page, then);
    await takeBack();
    await expectMessage(page, 'Ada is as before.');
  }
  await page.goto(`${desk.url}/?view=held`);
  await page.getByRole('button', { name: 'Not spam' }).click();
  await expectMessage(page, 'Zed is released');
  await takeBack();
  await expectMessage(page, 'Zed is as before.');

  await page.goto(desk.url);
  await lead(page, 'Ada').click();
  await expect(heading(page, 'Ada')).toBeVisible();
  await page.keyboard.press('r');
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/reply')) asked.push(request.method());
  });
  await page.keyboard.type('Wait');
  await page.keyboard.press('Control+Enter');
  await expectMessage(page, 'Your reply to Ada leaves in');
  expect(asked[0], 'saved after it was sent, the text would be a draft again').toBe('PUT');
  await expect(heading(page, 'Ada')).toBeVisible();
  await takeBack('Call it back');
  await expectMessage(page, 'Your reply to Ada is called back. Nothing has left.');
  await expect(page.getByRole('textbox', { name: 'Your answer' })).toHaveValue(/\n\nWait\n\n/);
  await expect.poll(() => desk.states()).toEqual({ Ada: 'new', Zed: 'held' });

  await desk.app.command('publish', frozen.dist);
  await desk.app.command('releases', 'rollback', 'built-in');
  await page.goto(`${desk.url}/site`);
  const shown = page.getByRole('listitem').filter({ hasText: 'Shown now' });
  await expect(shown).toContainText('As built');
  await page.getByRole('button', { name: 'Go back to this' }).click();
  await expect(shown).not.toContainText('As built');
  await takeBack();
  await expectMessage(page, 'The pages inside the program are shown now.');
  await expect(shown).toContainText('As built');
});

test('a second press on the test sends nothing to anybody, and an issue is called back in time', async ({
  page,
  desk,
}) => {
  const database = new DatabaseSync(desk.app.database, { timeout: 30_000 });
  database.exec(`INSERT INTO subscribers
      (id, email, email_key, state, created_at, consent_version, confirmed_at)
    VALUES ('1', 'ada@example.org', 'ada@example.org', 'confirmed', '2026-01-01T00:00:00.000Z', 1,
      '2026-01-01T00:00:00.000Z')`);
  database.close();
  await desk.signIn(page);
  await page.goto(`${desk.url}/newsletter`);
  const text = '# Hello\n\nThis is an issue.';
  const editor = page.getByRole('textbox', { name: 'The issue in Markdown' });
  await editor.fill(text);
  const testButton = page.getByRole('button', { name: 'Send a test to yourself' });
  const box = await testButton.boundingBox();
  if (!box) throw new Error('the button is not there');
  await testButton.click();
  const send = page.getByRole('button', { name: 'Send to 1 now' });
  await expect(send).toBeVisible();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await expect.poll(() => desk.mails.length).toBe(2);
  await send.click();
  await expectMessage(page, 'The issue leaves for 1 subscriber in');
  await expect(editor).toHaveValue('');
  await expect(page.locator('iframe')).toHaveCount(0);
  await page.keyboard.press('z');
  await expectMessage(page, 'The issue is called off.');
  await expect(editor).toHaveValue(text);
  await expect(send).toBeVisible();
  expect(new Set(desk.mails.map(({ subject }) => subject))).toEqual(new Set(['[Test] Hello']));
});
