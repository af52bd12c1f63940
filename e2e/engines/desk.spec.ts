/** The main journey at the desk, in engines other than Chromium's. */
import { frozen } from '../../web/build/testing/frozen.ts';
import { Desk } from '../support/desk.ts';
import { freePort } from '../support/program.ts';
import { TestProxy } from './proxy.ts';
import { test as base, expect, visit } from './test.ts';

const test = base.extend<{ desk: Desk; front: TestProxy }>({
  // biome-ignore lint/correctness/noEmptyPattern: the fixture's signature.
  front: async ({}, use) => use(await TestProxy.start(`http://127.0.0.1:${await freePort()}`)),

  /** The desk is reached through the proxy, as in production. */
  desk: async ({ front }, use) => {
    const desk = await Desk.start({
      FRONTDOOR_SITE: frozen.dist,
      FRONTDOOR_DESK_LISTEN: front.program.host,
      FRONTDOOR_DESK_URL: front.url,
    });
    await use(desk);
    await desk.stop();
  },

  visitor: ({ tab, front }, use) => visit(tab, front, use),
});

test('a lead is answered, taken back and replied to', async ({ desk, visitor }) => {
  const says = (text: string) => visitor.reads(['[role=status] span', text], text);
  const openAda = async () => {
    await visitor.press('main li a');
    await visitor.reads('main h1', 'Ada');
  };
  await desk.write('Ada');
  const { pathname, hash } = new URL(await desk.link());
  await visitor.goto(pathname + hash);
  await visitor.press(['button', 'Sign in']);
  await visitor.reads('main h1', 'Inbox');
  await openAda();
  await visitor.key('a');
  await says('Ada is answered.');
  await visitor.key('z');
  await says('Undone: Ada is as before.');
  expect(await desk.states()).toEqual({ Ada: 'new' });

  await openAda();
  await visitor.key('r');
  await visitor.fill('textarea', 'Yes.');
  await visitor.press('button[aria-keyshortcuts="Control+Enter"]');
  await says('Your reply to Ada leaves in');
});
