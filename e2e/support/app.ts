/** The real program under test: started on a free port with its own database. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { answerLimit, Program } from './program.ts';

export type Env = Record<string, string>;

const binary =
  process.env.FRONTDOOR_BIN ??
  fileURLToPath(new URL('../../target/debug/frontdoor', import.meta.url));

export class App {
  url = '';
  readonly #folder: string;
  readonly #env: Env;
  #program: Program | undefined;

  private constructor(folder: string, env: Env) {
    this.#folder = folder;
    this.#env = env;
  }

  /** Starts the program; `env` is added to the settings every test runs with. */
  static async start(env: Env = {}): Promise<App> {
    const folder = await mkdtemp(join(tmpdir(), 'frontdoor-e2e-'));
    const app = new App(folder, {
      // None of the developer's own settings may reach the program.
      PATH: process.env.PATH ?? '',
      FRONTDOOR_OPS_LISTEN: 'off',
      FRONTDOOR_DESK_LISTEN: 'off',
      FRONTDOOR_RATE_LIMIT: '0',
      FRONTDOOR_LOG_FORMAT: 'json',
      DATABASE_URL: `sqlite://${join(folder, 'frontdoor.db')}`,
      ...env,
    });
    await app.startAgain();
    return app;
  }

  /** The file that holds its data. */
  get database(): string {
    return join(this.#folder, 'frontdoor.db');
  }

  /** Kills it, whatever it is doing. */
  async kill() {
    await this.#program?.end('SIGKILL');
  }

  /** Starts it, or after it was killed starts it again with the same data. */
  async startAgain() {
    this.#program = new Program(binary, ['serve'], {
      cwd: this.#folder,
      env: { ...this.#env, FRONTDOOR_LISTEN: '127.0.0.1:0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const address = await this.#program.says(/"message":"listening","address":"([^"]+)"/);
    this.url = `http://${address}`;
    const answer = await fetch(this.url, { signal: AbortSignal.timeout(answerLimit) });
    if (!answer.ok) throw new Error(`the program answers ${answer.status}`);
  }

  /** Runs another command of the program on the same data and returns its output. */
  async command(...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(binary, args, {
      cwd: this.#folder,
      env: this.#env,
      timeout: answerLimit,
    });
    return stdout;
  }

  /** Stops it as an operator would, and removes its data. */
  async dispose() {
    if (this.#program?.hasEnded) throw new Error(`it has ended:\n${this.#program.said}`);
    const signal = await this.#program?.end();
    await rm(this.#folder, { recursive: true, force: true });
    if (signal === 'SIGKILL') throw new Error(`the program did not stop within ${answerLimit} ms`);
  }
}
