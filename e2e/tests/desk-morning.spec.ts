/** A whole morning at the desk, by keyboard alone and, on a phone, by touch alone. */
import type { Locator } from '@playwright/test';
import {
  addressOf,
  type Desk,
  expect,
  expectMessage,
  heading,
  lead,
  likeSpam,
  test,
} from '../support/desk.ts';

const waiting = ['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara', 'Ivy', 'Max', 'Linus', 'Katherine'];
const others = ['Dorothy', 'Radia'];

async function twelveLeads(desk: Desk) {
  for (const name of [...waiting, ...others]) await desk.write(name);
  await desk.write('Zed', likeSpam);
}

/** Where everybody is at the end, and which mails have left. */
async function isDone(desk: Desk) {
  const answered = ['Ada', 'Grace', 'Edsger', 'Barbara', 'Katherine', ...others];
  const states = {
    ...Object.fromEntries(answered.map((name) => [name, 'answered'])),
    Alan: 'booked',
    Ivy: 'spam',
    Max: 'spam',
    Zed: 'spam',
  };
  await expect.poll(() => desk.states()).toEqual(states);
  const leads = JSON.parse(await desk.app.command('leads', 'list', '--json'));
  const noted = leads.filter(({ note }: { note: string | null }) => note);
  expect(noted).toMatchObject([{ name: 'Edsger', note: 'Has two shops' }]);
  for (const name of ['Ada', 'Grace']) {
    const reply = desk.mails.find(
      ({ to, text }) =>
        to?.[0]?.address === addressOf(name) && text?.includes(`Yes, ${name}, it can.`),
    );
    expect(reply?.text).toContain(`> Hello from ${name}`);
    expect(reply?.references, 'it stands in the thread').toBeTruthy();
  }
}

test('twelve leads are dealt with by keyboard alone', async ({ page, desk }) => {
  const press = (...keys: string[]) =>
    keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
  const reach = async (element: Locator, isThere: (node: Element) => boolean, key: string) => {
    await element.waitFor();
    for (let presses = 0; !(await element.evaluate(isThere)); presses += 1) {
      expect(presses, `${element} is reached by ${key}`).toBeLessThan(60);
      await press(key);
    }
  };
  const tabTo = (element: Locator) =>
    reach(element, (node) => node === document.activeElement, 'Tab');
  const isPicked = (node: Element) => node.closest('[data-picked=true]') !== null;
  const pick = (name: string) => reach(lead(page, name), isPicked, 'j');
  const reply = async (name: string) => {
    await expect(page.getByRole('textbox', { name: 'Your answer' })).toBeFocused();
    await page.keyboard.type(`Yes, ${name}, it can.`);
    await press('Control+Enter');
    await expectMessage(page, `Your reply to ${name} leaves in`);
    await press('Escape');
  };

  await twelveLeads(desk);
  await desk.signIn(page);
  await pick('Ada');
  await press('r');
  await reply('Ada');
  await pick('Grace');
  await press('Enter');
  await expect(heading(page, 'Grace')).toBeVisible();
  await press('r');
  await reply('Grace');
  await pick('Alan');
  await press('b');
  await expectMessage(page, 'Alan has a call booked.');
  // The next one is picked by itself.
  await expect(lead(page, 'Edsger')).toBeFocused();
  await press('n');
  await page.keyboard.type('Has two shops');
  await press('Control+Enter');
  await expectMessage(page, 'Edsger has your note.');
  await press('a');
  await expectMessage(page, 'Edsger is answered.');
  await expect(lead(page, 'Barbara')).toBeFocused();
  await press('a');
  await expect(lead(page, 'Ivy')).toBeFocused();
  await press('s');
  await expect(lead(page, 'Max')).toBeFocused();
  await press('s');
  await expect(lead(page, 'Linus')).toBeFocused();
  await press('Enter');
  await tabTo(page.getByRole('button', { name: 'Export, forget' }));
  await press('Enter');
  await tabTo(page.getByRole('button', { name: 'Forget this person' }));
  await press('Enter');
  await tabTo(page.getByRole('textbox', { name: 'Type linus@example.org' }));
  await page.keyboard.type('Linus@example.org');
  await press('Enter');
  await expectMessage(page, 'Removed 1 lead');

  await pick('Katherine');
  await press('Enter');
  // On a lead, the next waiting one opens.
  for (const name of ['Katherine', ...others]) {
    await expect(heading(page, name)).toBeVisible();
    await press('a');
    await expectMessage(page, `${name} is answered.`);
  }
  await press('1');
  await tabTo(page.getByRole('link', { name: /^Held/ }));
  await press('Enter');
  await pick('Zed');
  await press('s');
  await expectMessage(page, 'Zed is marked as spam');
  await isDone(desk);
  await press('1');
  await expect(page.getByText('Everybody has an answer')).toBeVisible();
});

/** Runs in the page: what is too small for a thumb, with its size. */
function smallTargets(): string[] {
  return [...document.querySelectorAll<HTMLElement>('a, button, input, select, textarea, summary')]
    .filter((each) => each.checkVisibility({ visibilityProperty: true }))
    .map((each) => ({ each, box: (each.closest('label') ?? each).getBoundingClientRect() }))
    .filter(({ box }) => box.width > 1 && box.bottom + scrollY > 0)
    .filter(({ box }) => Math.min(box.width, box.height) < 43.9)
    .map(({ each, box }) => `${each.outerHTML} ${box.width} x ${box.height}`);
}

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });

  test('twelve leads are dealt with by touch alone', async ({ page, desk }) => {
    const tap = async (name: string, role: 'button' | 'link' = 'button') => {
      await page.getByRole(role, { name, exact: role === 'button' }).tap();
      expect(await page.evaluate(smallTargets), `after ${name}`).toEqual([]);
    };
    const write = async (field: string, text: string) => {
      const box = page.getByRole('textbox', { name: field });
      await expect(box).toBeFocused();
      await page.keyboard.type(text);
    };
    const open = async (name: string) => {
      await tap(name, 'link');
      await expect(heading(page, name)).toBeVisible();
    };
    /** What was done, and whose lead opens then. */
    const mark = async (name: string, how: string, then: string, next?: string) => {
      await expect(heading(page, name)).toBeVisible();
      await tap(how);
      await expectMessage(page, `${name} ${then}`);
      if (next) await expect(heading(page, next)).toBeVisible();
    };

    await twelveLeads(desk);
    await desk.signIn(page);
    for (const name of ['Ada', 'Grace']) {
      await open(name);
      await tap('Reply');
      await write('Your answer', `Yes, ${name}, it can.`);
      await tap(`Send to ${name}`);
      await expectMessage(page, `Your reply to ${name} leaves in`);
      await tap('Back', 'link');
    }
    await open('Alan');
    await mark('Alan', 'Booked', 'has a call booked.', 'Edsger');
    await tap('Note');
    await write('Note', 'Has two shops');
    await tap('Keep');
    await expectMessage(page, 'Edsger has your note.');
    await mark('Edsger', 'Answered', 'is answered.', 'Barbara');
    await mark('Barbara', 'Answered', 'is answered.', 'Ivy');
    await mark('Ivy', 'Spam', 'is marked as spam', 'Max');
    await mark('Max', 'Spam', 'is marked as spam', 'Linus');
    await tap('More');
    await tap('Forget this person …');
    await write('Type linus@example.org', 'linus@example.org');
    await tap('Forget for good');
    await expectMessage(page, 'Removed 1 lead');
    await open('Katherine');
    await mark('Katherine', 'Answered', 'is answered.', 'Dorothy');
    await mark('Dorothy', 'Answered', 'is answered.', 'Radia');
    await expect.poll(async () => (await desk.states()).Grace).toBe('answered');
    await mark('Radia', 'Answered', 'is answered.');
    await expect(page.getByText('Everybody has an answer')).toBeVisible();
    await tap('Held', 'link');
    await tap('Spam');
    await expectMessage(page, 'Zed is marked as spam');
    await isDone(desk);
  });
});
