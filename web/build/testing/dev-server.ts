/** The real development server on changed content, and what it tells an open page. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { paths } from '../paths.ts';

type Message = { type: string; err?: { message: string } };

/** Only what is broken, or a machine that is busy with much else, needs it whole. */
export const timeLimit = 120_000;

export class DevServer {
  /** All that stands in the terminal. */
  terminal = '';
  /** What an open page has been told. */
  readonly told: Message[] = [];
  readonly url: string;
  readonly #process: ChildProcess;
  #page: WebSocket | undefined;

  private constructor(port: number, content: string) {
    this.url = `http://127.0.0.1:${port}`;
    this.#process = spawn(process.execPath, ['build/dev.ts'], {
      cwd: paths.web,
      env: { ...process.env, FRONTDOOR_CONTENT: content, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#process.stdout, this.#process.stderr])
      stream?.on('data', (chunk) => {
        this.terminal += chunk;
      });
  }

  static async start(content: string): Promise<DevServer> {
    const server = new DevServer(await freePort(), content);
    try {
      await server.until(() => server.terminal.includes(`${server.url} (`));
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** Until something is so; what was said so far is in the complaint if it never is. */
  async until(condition: () => boolean | Promise<boolean>) {
    const end = Date.now() + timeLimit;
    while (!(await condition())) {
      const said = `${this.terminal}\n${JSON.stringify(this.told)}`;
      if (this.#process.exitCode !== null) throw new Error(`it has ended: ${said}`);
      if (Date.now() > end) throw new Error(`it has never come to be: ${said}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async get(path: string) {
    const answer = await fetch(this.url + path);
    return { status: answer.status, html: await answer.text() };
  }

  /** Listens as an open page does. */
  async openPage() {
    const client = await (await fetch(`${this.url}/@vite/client`)).text();
    const token = /wsToken = "([^"]+)"/.exec(client)?.[1];
    this.#page = new WebSocket(`${this.url.replace('http', 'ws')}/?token=${token}`, 'vite-hmr');
    this.#page.addEventListener('message', ({ data }) => this.told.push(JSON.parse(data)));
    await this.until(() => this.told.some(({ type }) => type === 'connected'));
  }

  async stop() {
    this.#page?.close();
    if (this.#process.exitCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill();
    await ended;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
