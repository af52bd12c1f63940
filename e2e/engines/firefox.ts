/** The system's Firefox, headless, driven by WebDriver BiDi. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answerLimit, Program } from '../support/program.ts';
import { keyPresses, mousePress, type Tab } from './visitor.ts';

const binary = process.env.FIREFOX ?? 'firefox-esr';

/** Reduced motion, as in the other tests, and no requests to Mozilla. */
const preferences = {
  'ui.prefersReducedMotion': 1,
  'app.normandy.enabled': false,
  'app.update.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,',
  'toolkit.telemetry.server': 'data:,',
};

type Evaluated = {
  type: string;
  result?: { value?: string };
  exceptionDetails?: { text: string };
};

export async function startFirefox(): Promise<Tab> {
  const profile = await mkdtemp(join(tmpdir(), 'frontdoor-firefox-'));
  const lines = Object.entries(preferences).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  );
  await writeFile(join(profile, 'user.js'), lines.join('\n'));
  const args = ['--headless', '--no-remote', '--remote-debugging-port=0', '--profile', profile];
  const program = new Program(binary, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: profile },
  });
  const close = async () => {
    await program.end();
    await rm(profile, { recursive: true, force: true });
  };
  try {
    const address = await program.says(/BiDi listening on (ws:\S+)\s/);
    const bidi = await BiDi.connect(`${address}/session`);
    await bidi.send('session.new', { capabilities: {} });
    return { ...(await openTab(bidi)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openTab(bidi: BiDi) {
  const { context } = await bidi.send<{ context: string }>('browsingContext.create', {
    type: 'tab',
  });
  const perform = (...actions: object[]) =>
    bidi.send<void>('input.performActions', { context, actions });
  return {
    navigate: (url: string) =>
      bidi.send('browsingContext.navigate', { context, url, wait: 'none' }),
    run: async (body: string) => {
      const { result, exceptionDetails } = await bidi.send<Evaluated>('script.callFunction', {
        functionDeclaration: `() => {${body}}`,
        awaitPromise: false,
        target: { context },
      });
      if (exceptionDetails) throw new Error(exceptionDetails.text);
      return result?.value ?? '';
    },
    press: (x: number, y: number) => perform(mousePress(x, y)),
    type: (keys: string[]) => perform(keyPresses(keys)),
    resize: (width: number, height: number) =>
      bidi.send<void>('browsingContext.setViewport', { context, viewport: { width, height } }),
  };
}

type Answer = { id: number; result?: unknown; error?: string; message?: string };
type Waiting = { resolve: (result: unknown) => void; reject: (error: Error) => void };

/** The protocol over its socket: commands and their answers. */
class BiDi {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, Waiting>();
  #commands = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#take(JSON.parse(data)));
  }

  static async connect(url: string): Promise<BiDi> {
    const socket = new WebSocket(url);
    await once(socket, 'open', { signal: AbortSignal.timeout(answerLimit) });
    return new BiDi(socket);
  }

  async send<Result>(method: string, params: object): Promise<Result> {
    this.#commands += 1;
    const id = this.#commands;
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    const silent = () => this.#take({ id, error: 'timeout', message: `no answer to ${method}` });
    const limit = setTimeout(silent, answerLimit);
    this.#socket.send(JSON.stringify({ id, method, params }));
    try {
      return (await answer) as Result;
    } finally {
      clearTimeout(limit);
    }
  }

  #take({ id, result, error, message }: Answer) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) waiting?.reject(new Error(`${error}: ${message}`));
    else waiting?.resolve(result);
  }
}
