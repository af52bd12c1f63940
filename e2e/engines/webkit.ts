/** The system's WebKit: its small browser on a virtual screen, driven by WebDriver. */
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answerLimit, freePort, Program } from '../support/program.ts';
import { keyPresses, mousePress, type Tab } from './visitor.ts';

const binary = process.env.MINIBROWSER ?? globSync('/usr/lib/*/webkit2gtk-4.*/MiniBrowser').at(-1);

/** The window is as wide as its buttons at least: without their room it is as narrow as a phone. */
const buttons = '* { min-width: 0; min-height: 0; padding: 0; margin: 0; font-size: 1px; }';
/** A command may never be answered if the page is left at the same moment. */
const scriptLimit = 10_000;
const lessMotion = '[Settings]\ngtk-enable-animations=0\n';

export async function startWebKit(): Promise<Tab> {
  if (!binary) throw new Error('MiniBrowser is missing: it comes with webkit2gtk-driver');
  const home = await mkdtemp(join(tmpdir(), 'frontdoor-webkit-'));
  await mkdir(join(home, 'gtk-3.0'));
  await writeFile(join(home, 'gtk-3.0/gtk.css'), buttons);
  await writeFile(join(home, 'gtk-3.0/settings.ini'), lessMotion);
  const programs: Program[] = [];
  const close = async () => {
    for (const program of programs.toReversed()) await program.end();
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const screen = new Program('Xvfb', ['-displayfd', '3', '-screen', '0', '1600x1200x24'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    programs.push(screen);
    const display = await screen.says(/(\d+)\n/);
    const port = await freePort();
    const env = {
      ...process.env,
      DISPLAY: `:${display}`,
      XDG_CONFIG_HOME: home,
      XDG_CACHE_HOME: home,
      XDG_DATA_HOME: home,
      // Painting through a software graphics card keeps a core busy for seconds.
      WEBKIT_DISABLE_DMABUF_RENDERER: '1',
      // It refuses its sandbox to root, and has none in a container.
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    };
    programs.push(new Program('WebKitWebDriver', [`--port=${port}`], { stdio: 'ignore', env }));
    const driver = `http://127.0.0.1:${port}`;
    await answering(driver);
    const tab = await openSession(driver);
    return { ...tab, close: () => tab.close().finally(close) };
  } catch (error) {
    await close();
    throw error;
  }
}

async function call<Value>(
  method: string,
  url: string,
  body?: object,
  limit = answerLimit,
): Promise<Value> {
  const answer = await fetch(url, {
    method,
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(limit),
  });
  const { value } = (await answer.json()) as { value: Value & { error: string; message: string } };
  if (!answer.ok) throw new Error(`${value.error}: ${value.message}`);
  return value;
}

/** The driver does not report when it is ready, so this asks until it answers. */
async function answering(driver: string) {
  const end = performance.now() + answerLimit;
  for (;;) {
    try {
      return await call('GET', `${driver}/status`);
    } catch (error) {
      if (performance.now() > end)
        throw new Error('WebKitWebDriver did not start', { cause: error });
    }
  }
}

async function openSession(driver: string): Promise<Tab> {
  const wanted = {
    browserName: 'MiniBrowser',
    pageLoadStrategy: 'none',
    timeouts: { script: scriptLimit / 2 },
    'webkitgtk:browserOptions': { binary, args: ['--automation'] },
  };
  const { sessionId } = await call<{ sessionId: string }>('POST', `${driver}/session`, {
    capabilities: { alwaysMatch: wanted },
  });
  const session = `${driver}/session/${sessionId}`;
  const post = <Value>(path: string, body: object) => call<Value>('POST', session + path, body);
  const navigate = (url: string) => post<void>('/url', { url });
  const run = (script: string) =>
    call<string>('POST', `${session}/execute/sync`, { script, args: [] }, scriptLimit);
  await firstPage(navigate, run);
  return {
    navigate,
    run,
    press: (x, y) => post('/actions', { actions: [mousePress(x, y)] }),
    type: (keys) => post('/actions', { actions: [keyPresses(keys)] }),
    resize: (width, height) => post('/window/rect', { x: 0, y: 0, width, height }),
    close: () => call('DELETE', session),
  };
}

/**
 * At its start the browser opens an empty page of its own, which may cancel the first
 * navigation. So this first navigates to a page that isn't ours, until it is shown.
 */
async function firstPage(navigate: Tab['navigate'], run: Tab['run']) {
  const page = 'data:text/html,ready';
  const end = performance.now() + answerLimit;
  const shown = () => run('return location.href').catch(String);
  for (let asked = -Infinity; (await shown()) !== page; ) {
    const now = performance.now();
    if (now > end) throw new Error('WebKit opens no page');
    if (now - asked < 2000) continue;
    asked = now;
    await navigate(page);
  }
}
