/** A whole morning at the desk, by keyboard alone and, on a phone, by touch alone. */
import type { Locator, Page } from '@playwright/test';
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

const waiting = [
  'Ada',
  'Grace',
  'Alan',
  'Edsger',
  'Barbara',
  'Ivy',
  'Max',
  'Linus',
  'Katherine',
  'Dorothy',
  'Radia',
];

async function twelveLeads(desk: Desk) {
  for (const name of waiting) await desk.write(name);
  await desk.write('Zed', likeSpam);
}

/** Where everybody is at the end, and which mails have left. */
async function isDone(desk: Desk) {
  const answered = ['Ada', 'Grace', 'Edsger', 'Barbara', 'Katherine', 'Dorothy', 'Radia'];
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

/** How the leads are dealt with. */
type Hand = {
  /** Picks a lead in the list, where keys reach it, or opens it for a finger. */
  pick: (name: string) => Promise<void>;
  open: (name: string) => Promise<void>;
  /** Presses a button, or the key that does the same. */
  press: (button: string | RegExp) => Promise<void>;
};

async function morning(page: Page, desk: Desk, { pick, open, press }: Hand) {
  const write = async (field: string, text: string) => {
    await expect(page.getByRole('textbox', { name: field })).toBeFocused();
    await page.keyboard.type(text);
  };
  /** In the list, the next one is picked by itself; on a lead, the next waiting one opens. */
  const isAt = (name: string) =>
    expect(lead(page, name).and(page.locator(':focus')).or(heading(page, name))).toBeVisible();
  const mark = async (names: string[], button: string, then: string) => {
    for (const name of names) {
      await isAt(name);
      await press(button);
      await expectMessage(page, `${name} ${then}`);
    }
  };

  await twelveLeads(desk);
  await desk.signIn(page);
  for (const [name, choose] of [
    ['Ada', pick],
    ['Grace', open],
  ] as const) {
    await choose(name);
    await press('Reply');
    await write('Your answer', `Yes, ${name}, it can.`);
    await press(`Send to ${name}`);
    await expectMessage(page, `Your reply to ${name} leaves in`);
    await press('Back');
  }
  await pick('Alan');
  await mark(['Alan'], 'Booked', 'has a call booked.');
  await isAt('Edsger');
  await press('Note');
  await write('Note', 'Has two shops');
  await press('Save note');
  await expectMessage(page, 'Edsger has your note.');
  await mark(['Edsger', 'Barbara'], 'Answered', 'is answered.');
  await mark(['Ivy', 'Max'], 'Spam', 'is marked as spam');
  await isAt('Linus');
  await open('Linus');
  await press(/^(More|Export, forget)$/);
  await press('Forget this person …');
  await write('Type linus@example.org', 'Linus@example.org');
  await press('Forget for good');
  await expectMessage(page, 'Removed 1 lead');
  await open('Katherine');
  await mark(['Katherine', 'Dorothy'], 'Answered', 'is answered.');
  // Those who get a reply wait until it has left.
  await expect.poll(async () => (await desk.states()).Grace).toBe('answered');
  await mark(['Radia'], 'Answered', 'is answered.');
  await expect(page.getByText('Everybody has an answer')).toBeVisible();
  await press('Held');
  await pick('Zed');
  await press('Spam');
  await expectMessage(page, 'Zed is marked as spam');
  await isDone(desk);
}

/** What is pressed by its name: two are links. */
const control = (page: Page, name: string | RegExp) =>
  name === 'Back' || name === 'Held'
    ? page.getByRole('link', { name })
    : page.getByRole('button', { name, exact: true });

/** The rest is reached by Tab. */
const keys: Record<string, string> = {
  Reply: 'r',
  'Send to Ada': 'Control+Enter',
  'Send to Grace': 'Control+Enter',
  Back: 'Escape',
  Booked: 'b',
  Answered: 'a',
  Spam: 's',
  Note: 'n',
  'Save note': 'Control+Enter',
  'Forget for good': 'Enter',
};

test('twelve leads are dealt with by keyboard alone', async ({ page, desk }) => {
  const reach = async (element: Locator, isThere: (node: Element) => boolean, key: string) => {
    await element.waitFor();
    for (let presses = 0; !(await element.evaluate(isThere)); presses += 1) {
      expect(presses, `${element} is reached by ${key}`).toBeLessThan(60);
      await page.keyboard.press(key);
    }
  };
  const isPicked = (node: Element) => node.closest('[data-picked=true]') !== null;
  const pick = (name: string) => reach(lead(page, name), isPicked, 'j');
  await morning(page, desk, {
    pick,
    open: async (name) => {
      await pick(name);
      await page.keyboard.press('Enter');
      await expect(heading(page, name)).toBeVisible();
    },
    press: async (button) => {
      const key = keys[String(button)];
      if (!key)
        await reach(control(page, button), (node) => node === document.activeElement, 'Tab');
      await page.keyboard.press(key ?? 'Enter');
    },
  });
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
    const tap = async (element: Locator) => {
      await element.tap();
      expect(await page.evaluate(smallTargets), `after ${element}`).toEqual([]);
    };
    const open = async (name: string) => {
      if (!(await heading(page, name).isVisible())) await tap(lead(page, name));
      await expect(heading(page, name)).toBeVisible();
    };
    await morning(page, desk, { pick: open, open, press: (button) => tap(control(page, button)) });
  });
});
