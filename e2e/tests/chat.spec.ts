/** The chat assistant, with the provider's real published bundle from another origin. */
import { expectAccessible } from '../support/axe.ts';
import { greeting, projectId, type ScriptAnswer } from '../support/chat-provider.ts';
import {
  bundleLimit,
  conversation,
  follow,
  launcher,
  test,
  warnings,
} from '../support/chat-test.ts';
import { jumpTo, open, scrollY, settled } from '../support/page.ts';
import { expect } from '../support/test.ts';

test.describe.configure({ timeout: 90_000 });

const unavailable = 'The chat assistant could not be loaded.';
const session = `voiceflow-session-${projectId}`;

/** Runs in the page, before anything else of it. */
function watchLoad() {
  const loads: unknown[] = [];
  let chat: { load(settings: unknown): unknown } | undefined;
  const voiceflow = Object.defineProperty({}, 'chat', {
    get: () => chat,
    set(value: NonNullable<typeof chat>) {
      const { load } = value;
      value.load = (settings) => {
        loads.push(settings);
        return load(settings);
      };
      chat = value;
    },
  });
  Object.assign(window, { voiceflow, loads });
}

test('comes after the load event, once, without the earlier conversation', async ({
  page,
  startChat,
}) => {
  const { provider, url } = await startChat();
  const seen = warnings(page);
  await page.addInitScript(watchLoad);
  await page.addInitScript((key) => localStorage.setItem(key, '{"userID":"earlier"}'), session);
  let saved: string | null | undefined;
  await page.route('**/bundle.mjs', async (route) => {
    saved = await page.evaluate((key) => localStorage.getItem(key), session);
    await route.continue();
  });
  await open(page, url);
  await expect(launcher(page)).toBeVisible(bundleLimit);

  expect(saved, 'what the script found').toBeNull();
  const started = await page.evaluate(() => {
    const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
    const others = performance
      .getEntriesByType('resource')
      .filter(({ name }) => !name.startsWith(location.origin));
    return { loadEvent: page?.loadEventStart ?? 0, others: others.map((one) => one.startTime) };
  });
  expect(started.loadEvent).toBeGreaterThan(0);
  expect(started.others).toHaveLength(2);
  for (const time of started.others) expect(time).toBeGreaterThan(started.loadEvent);

  const calls = ['GET /widget/bundle.mjs', `GET /public/${projectId}/publishing`];
  expect(provider.calls).toEqual(calls);
  await follow(page, 'About', '/about');
  await follow(page, 'Pricing', '/pricing');
  await expect(launcher(page)).toBeVisible();
  expect(provider.calls).toEqual(calls);
  expect(await page.evaluate(() => (window as unknown as { loads: unknown[] }).loads)).toEqual([
    { verify: { projectID: projectId }, url: provider.runtimeOrigin, versionID: 'production' },
  ]);
  expect(seen).toEqual([]);
});

test('a conversation leaves the page where it is', async ({ page, startChat }) => {
  const { url } = await startChat();
  await page.goto(`${url}/terms`);
  await expect(launcher(page)).toBeVisible(bundleLimit);
  await jumpTo(page, 700);
  await launcher(page).click();
  await expect(conversation(page)).toBeFocused();
  await expect(page.getByText(greeting)).toBeVisible();
  await page.getByText(greeting).click();
  await settled(page);
  expect(await scrollY(page)).toBe(700);
});

const failures: [what: string, script: ScriptAnswer, complaint?: RegExp][] = [
  ['is missing', 'missing', /404/],
  ['is another script', 'foreign'],
  ['refuses to start', 'refusing'],
];
for (const [what, script, complaint] of failures) {
  test(`a script that ${what} is one warning and no more`, async ({
    page,
    startChat,
    problems,
  }) => {
    if (complaint) problems.expect(complaint);
    const { url } = await startChat('load', script);
    const seen = warnings(page);
    await open(page, url);
    await expect.poll(() => seen).toEqual([expect.stringContaining(unavailable)]);
    await follow(page, 'About', '/about');
    expect(seen).toHaveLength(1);
  });
}

test('a script that is blocked is one warning and no more', async ({
  page,
  startChat,
  problems,
}) => {
  problems.expect(/ERR_BLOCKED_BY_CLIENT/);
  const { provider, url } = await startChat();
  const seen = warnings(page);
  await page.route('**/bundle.mjs', (route) => route.abort('blockedbyclient'));
  await open(page, url);
  await expect.poll(() => seen).toEqual([expect.stringContaining(unavailable)]);
  await follow(page, 'About', '/about');
  expect(provider.calls).toEqual([]);
});

test('a script that never comes is given up, and the page never waits', async ({
  page,
  startChat,
}) => {
  const { provider, url } = await startChat('load', 'silent');
  const seen = warnings(page);
  await page.clock.install();
  await open(page, url);
  await expect.poll(() => provider.calls).toEqual(['GET /widget/bundle.mjs']);
  await follow(page, 'About', '/about');
  expect(seen).toEqual([]);
  await page.clock.fastForward(20_000);
  await expect.poll(() => seen).toEqual([expect.stringContaining(unavailable)]);
});

test('with `click` nothing is asked for before our button is pressed', async ({
  page,
  startChat,
}) => {
  const { provider, url } = await startChat('click');
  await page.addInitScript((key) => localStorage.setItem(key, '{"userID":"earlier"}'), session);
  await open(page, url);
  const button = page.getByRole('button', { name: 'Chat with us Loads Voiceflow' });
  await expect(button).toBeVisible();
  expect(await page.evaluate((key) => localStorage.getItem(key), session)).toBeNull();
  await follow(page, 'About', '/about');
  await expect(button).toHaveCount(1);
  await expectAccessible(page, 'with our button');
  expect(provider.calls).toEqual([]);

  await button.focus();
  await page.keyboard.press('Enter');
  await expect(conversation(page)).toBeFocused(bundleLimit);
  await expect(page.getByText(greeting)).toBeVisible();
  await expect(button).toHaveCount(0);
  expect(provider.calls.filter((call) => call.endsWith('/bundle.mjs'))).toHaveLength(1);
});

test('with `click` a failure leads on to the contact form', async ({
  page,
  startChat,
  problems,
}) => {
  problems.expect(/404/);
  const { url } = await startChat('click', 'missing');
  const seen = warnings(page);
  await open(page, url);
  await page.getByRole('button', { name: 'Chat with us' }).click();
  const instead = page.getByRole('link', { name: 'Chat is unavailable. Write to us' });
  await expect(instead).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${url}/contact`);
  expect(seen).toEqual([expect.stringContaining(unavailable)]);
});
