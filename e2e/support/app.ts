/** The real program under test: started on a free port with its own database, ended by its process id. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export type Env = Record<string, string>;

const binary =
  process.env.FRONTDOOR_BIN ??
  fileURLToPath(new URL('../../target/debug/frontdoor', import.meta.url));
/** Only a broken program takes this long to start, to stop or to answer a command. */
const limit = 30_000;

export class App {
  /** Everything the program has logged. */
  log = '';
  url = '';
  readonly #folder: string;
  readonly #env: Env;
  #process: ChildProcess;

  private constructor(folder: string, env: Env) {
    this.#folder = folder;
    this.#env = env;
    this.#process = this.#spawn();
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
    await app.#answering();
    return app;
  }

  /** The file that holds its data. */
  get database(): string {
    return join(this.#folder, 'frontdoor.db');
  }

  /** Kills it, whatever it is doing. */
  async kill() {
    const exited = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await exited;
  }

  /** Starts it again with the same data after it was killed. */
  async startAgain() {
    this.log = '';
    this.#process = this.#spawn();
    await this.#answering();
  }

  /** Runs another command of the program on the same data and returns its output. */
  async command(...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(binary, args, {
      cwd: this.#folder,
      env: this.#env,
      timeout: limit,
    });
    return stdout;
  }

  /** Stops it as an operator would, and removes its data. */
  async dispose() {
    const { exitCode, signalCode } = this.#process;
    if (exitCode !== null || signalCode !== null) throw new Error(`it has ended:\n${this.log}`);
    const exited = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), limit);
    const [, signal] = await exited;
    clearTimeout(timer);
    await rm(this.#folder, { recursive: true, force: true });
    if (signal === 'SIGKILL') throw new Error(`the program did not stop within ${limit} ms`);
  }

  #spawn(): ChildProcess {
    return spawn(binary, ['serve'], {
      cwd: this.#folder,
      env: { ...this.#env, FRONTDOOR_LISTEN: '127.0.0.1:0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  async #answering() {
    this.url = `http://${await this.#listening()}`;
    const answer = await fetch(this.url, { signal: AbortSignal.timeout(limit) });
    if (!answer.ok) throw new Error(`the program answers ${answer.status}`);
  }

  /** The address on which it says it listens. */
  #listening(): Promise<string> {
    const child = this.#process;
    return new Promise((resolve, reject) => {
      const fail = (why: string) => {
        child.kill('SIGKILL');
        reject(new Error(`${binary} ${why}\n${this.log}`));
      };
      const timer = setTimeout(() => fail('does not start'), limit);
      const onOutput = (chunk: Buffer) => {
        this.log += chunk;
        const address = /"message":"listening","address":"([^"]+)"/.exec(this.log)?.[1];
        if (!address) return;
        clearTimeout(timer);
        resolve(address);
      };
      child.stdout?.on('data', onOutput);
      child.stderr?.on('data', onOutput);
      child.once('error', (error) => fail(error.message));
      child.once('exit', (code) => {
        clearTimeout(timer);
        fail(`ended with ${code}`);
      });
    });
  }
}
