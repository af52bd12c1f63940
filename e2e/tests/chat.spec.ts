/** The chat assistant, with the provider's real published bundle from another origin. */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import type { Env } from '../support/app.ts';
import { jumpTo, markDocument, open, sameDocument, scrollY, settled } from '../support/page.ts';
import { expectAccessible } from '../support/rendered.ts';
import { site } from '../support/site.ts';
import { test as base, expect } from '../support/test.ts';

const projectId = 'project-e2e-1';

const bundle = fileURLToPath(
  new URL('../node_modules/@voiceflow/react-chat/dist/bundle.mjs', import.meta.url),
);

/** The runtime's answer for a project: the settings of the launcher. */
const publishing = {
  title: 'Assistant',
  color: '#8b5cf6',
  image: '',
  avatar: '',
  persistence: 'localStorage',
  spacing: { side: 30, bottom: 30 },
};
const greeting = 'Hello from the assistant';
const traces = [
  {
    type: 'text',
    payload: { message: greeting, slate: { content: [{ children: [{ text: greeting }] }] } },
  },
];

/** Scripts that load but do not work. */
const scripts = {
  foreign: 'globalThis.somethingElse = true;',
  refusing: 'globalThis.voiceflow = { chat: { load: () => Promise.reject(new Error("no")) } };',
};

/** How the script's origin answers. */
type ScriptAnswer = keyof typeof scripts | 'bundle' | 'missing' | 'silent';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** The provider: its bundle on one origin, and a stand-in for its runtime on another. */
class ChatProvider {
  /** Every call so far, as `METHOD /path`, of both origins. */
  readonly calls: string[] = [];
  answer: ScriptAnswer = 'bundle';
  runtimeOrigin = '';
  #scriptOrigin = '';
  readonly #servers: Server[] = [];

  static async start(): Promise<ChatProvider> {
    const provider = new ChatProvider();
    provider.#scriptOrigin = await provider.#serve((request, response) =>
      sendScript(provider.answer, request, response),
    );
    provider.runtimeOrigin = await provider.#serve(answerRuntime);
    return provider;
  }

  /** The settings that make the program use it. */
  env(load: 'load' | 'click'): Env {
    return {
      FRONTDOOR_CHAT_PROJECT_ID: projectId,
      FRONTDOOR_CHAT_SCRIPT_URL: `${this.#scriptOrigin}/widget/bundle.mjs`,
      FRONTDOOR_CHAT_RUNTIME_URL: this.runtimeOrigin,
      FRONTDOOR_CHAT_LOAD: load,
    };
  }

  async stop() {
    for (const server of this.#servers) {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    }
  }

  async #serve(answer: Answer): Promise<string> {
    const server = createServer((request, response) => {
      if (request.method !== 'OPTIONS') this.calls.push(`${request.method} ${request.url}`);
      answer(request, response);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    this.#servers.push(server);
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
}

/** Without CORS or CORP headers: nothing says that a provider sends any. */
function sendScript(answer: ScriptAnswer, request: IncomingMessage, response: ServerResponse) {
  if (answer === 'silent') return;
  if (answer === 'missing' || request.url !== '/widget/bundle.mjs') {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { 'content-type': 'text/javascript' });
  if (answer === 'bundle') createReadStream(bundle).pipe(response);
  else response.end(scripts[answer]);
}

function answerRuntime(request: IncomingMessage, response: ServerResponse) {
  const headers = {
    'access-control-allow-origin': request.headers.origin ?? '*',
    'access-control-allow-headers': request.headers['access-control-request-headers'] ?? '*',
    'content-type': 'application/json',
  };
  const { method, url = '' } = request;
  if (method === 'OPTIONS') response.writeHead(204, headers).end();
  else if (url === `/public/${projectId}/publishing`) {
    response.writeHead(200, headers).end(JSON.stringify(publishing));
  } else if (url.endsWith('/interact')) {
    response.writeHead(200, headers).end(JSON.stringify({ trace: traces }));
  } else response.writeHead(200, headers).end('{}');
}

type Chat = { provider: ChatProvider; url: string };

const test = base.extend<{ startChat: (load: 'load' | 'click') => Promise<Chat> }>({
  startChat: async ({ page, startApp }, use) => {
    const provider = await ChatProvider.start();
    await use(async (load) => ({ provider, url: (await startApp(provider.env(load))).url }));
    // Closes the page first: a cancelled response would be one more error.
    await page.close();
    await provider.stop();
  },
});

const unavailable = 'The chat assistant could not be loaded.';
const session = `voiceflow-session-${projectId}`;
const launcher = (page: Page) => page.locator('#voiceflow-chat .vfrc-launcher');
const conversation = (page: Page) => page.locator('#voiceflow-chat textarea');

/** Gathers the page's warnings from now on. */
function warnings(page: Page): string[] {
  const seen: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'warning') seen.push(message.text());
  });
  return seen;
}

/** Goes to another page of the site, without a new document. */
async function follow(page: Page, path: string) {
  await markDocument(page);
  await page.evaluate(async (to) => void (await window.navigation.navigate(to).finished), path);
  expect(await sameDocument(page)).toBe(true);
}

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

test('it comes after the load event, once, without the earlier conversation', async ({
  page,
  startChat,
}) => {
  const { provider, url } = await startChat('load');
  const seen = warnings(page);
  await page.addInitScript(watchLoad);
  await page.addInitScript((key) => localStorage.setItem(key, '{"userID":"earlier"}'), session);
  let saved: string | null | undefined;
  await page.route('**/bundle.mjs', async (route) => {
    saved = await page.evaluate((key) => localStorage.getItem(key), session);
    await route.continue();
  });
  await open(page, url);
  await expect(launcher(page)).toBeVisible();

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
  await follow(page, '/about');
  await follow(page, '/pricing');
  await expect(launcher(page)).toBeVisible();
  expect(provider.calls).toEqual(calls);
  expect(await page.evaluate(() => (window as unknown as { loads: unknown[] }).loads)).toEqual([
    { verify: { projectID: projectId }, url: provider.runtimeOrigin, versionID: 'production' },
  ]);
  expect(seen).toEqual([]);
});

test('a script that is missing, foreign, refuses to start or is blocked is one warning and no more', async ({
  page,
  startChat,
  problems,
}) => {
  problems.expect(/404/);
  problems.expect(/ERR_BLOCKED_BY_CLIENT/);
  const { provider, url } = await startChat('load');
  const expectOneWarning = async (why: string) => {
    await page.goto('about:blank');
    const seen = warnings(page);
    await open(page, url);
    await expect.poll(() => seen, why).toEqual([expect.stringContaining(unavailable)]);
    await follow(page, '/about');
    expect(seen, why).toHaveLength(1);
  };
  for (const answer of ['missing', 'foreign', 'refusing'] as const) {
    provider.answer = answer;
    await expectOneWarning(answer);
  }
  await page.route('**/bundle.mjs', (route) => route.abort('blockedbyclient'));
  await expectOneWarning('blocked');
});

test('a script that never comes is given up, and the page never waits', async ({
  page,
  startChat,
}) => {
  const { provider, url } = await startChat('load');
  provider.answer = 'silent';
  const seen = warnings(page);
  await page.clock.install();
  await open(page, url);
  await expect.poll(() => provider.calls).toEqual(['GET /widget/bundle.mjs']);
  await follow(page, '/about');
  expect(seen).toEqual([]);
  await page.clock.fastForward(20_000);
  await expect.poll(() => seen).toEqual([expect.stringContaining(unavailable)]);
});

test('with `click` nothing is requested before our button is pressed, and a failure leads to the contact form', async ({
  page,
  startChat,
  problems,
}) => {
  problems.expect(/404/);
  const { provider, url } = await startChat('click');
  await page.addInitScript((key) => localStorage.setItem(key, '{"userID":"earlier"}'), session);
  await open(page, url);
  const button = page.getByRole('button', { name: 'Chat with us Loads Voiceflow' });
  await expect(button).toBeVisible();
  expect(await page.evaluate((key) => localStorage.getItem(key), session)).toBeNull();
  await follow(page, '/about');
  await expect(button).toHaveCount(1);
  await expectAccessible(page, 'with our button');
  expect(provider.calls).toEqual([]);

  provider.answer = 'missing';
  const seen = warnings(page);
  await button.click();
  await expect(page.getByRole('link', { name: 'Chat is unavailable. Write to us' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${url}/contact`);
  expect(seen).toEqual([expect.stringContaining(unavailable)]);

  provider.answer = 'bundle';
  await open(page, url);
  await button.focus();
  await page.keyboard.press('Enter');
  await expect(conversation(page)).toBeFocused();
  await expect(page.getByText(greeting)).toBeVisible();
  await expect(button).toHaveCount(0);
  expect(provider.calls.filter((call) => call.endsWith('/bundle.mjs'))).toHaveLength(2);
});

/**
 * Scrolls through the page in small steps. At each one, a point test says what a finger would hit in the
 * middle and at the ends of everything that must stay free.
 */
async function expectClear(page: Page, path: string) {
  const { covered, shown, aside } = await page.evaluate(async (booking) => {
    // The page handles a scroll in the next frame; after that it is idle.
    const looked = async () => {
      await new Promise((frame) => requestAnimationFrame(frame));
      await new Promise((idle) => requestIdleCallback(idle, { timeout: 2000 }));
    };
    const result = { covered: [] as string[], shown: 0, aside: 0 };
    for (let top = 0; top < document.body.scrollHeight; top += 90) {
      scrollTo({ top, behavior: 'instant' });
      await looked();
      const chat = document.querySelector<HTMLElement>('#voiceflow-chat, [data-floats]');
      if (!chat) throw new Error('there is no chat on this page');
      if (chat.inert) result.aside += 1;
      else result.shown += 1;
      const mustStayFree = document.querySelectorAll<HTMLElement>(
        `a[href="${booking}"], main form :is(input, textarea, button)`,
      );
      for (const element of mustStayFree) {
        const { left, right, top, bottom } = element.getBoundingClientRect();
        for (const x of [left + 2, (left + right) / 2, right - 2]) {
          for (const y of [top + 2, (top + bottom) / 2, bottom - 2]) {
            const over = document.elementFromPoint(x, y);
            if (over && chat.contains(over))
              result.covered.push(`${element.outerHTML.slice(0, 80)} at ${scrollY}`);
          }
        }
      }
    }
    return result;
  }, site.booking_url);
  expect(covered, path).toEqual([]);
  expect(shown, `${path}: steps with the chat`).toBeGreaterThan(5);
  expect(aside, `${path}: steps without`).toBeGreaterThan(0);
}

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('our button never covers a booking link or a form', async ({ page, startChat }) => {
    const { url } = await startChat('click');
    for (const path of ['/', '/blog']) {
      await page.goto(url + path);
      await expect(page.locator('body > * > aside > [data-floats]')).toBeAttached();
      await expectClear(page, path);
    }
  });

  test("the provider's launcher makes way too, an open conversation stays and leaves the page alone", async ({
    page,
    startChat,
  }) => {
    const { url } = await startChat('load');
    await open(page, `${url}/contact`);
    await expect(launcher(page)).toBeAttached();
    await expectClear(page, '/contact');

    await follow(page, '/terms');
    await jumpTo(page, 700);
    await launcher(page).click();
    await expect(conversation(page)).toBeFocused();
    await page.getByText(greeting).click();
    await settled(page);
    expect(await scrollY(page)).toBe(700);
    await page.evaluate(() => document.querySelector('footer a[target]')?.scrollIntoView());
    await expect(page.locator('#voiceflow-chat')).not.toHaveAttribute('inert');
    await page.locator('#voiceflow-chat .vfrc-header--button').first().click();
    await expect(launcher(page)).toBeVisible();
  });
});
