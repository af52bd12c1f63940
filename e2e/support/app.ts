/**
 * The real program under test: started on a free port with a database of its
 * own, ended by its process id.
 */
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
// Only a program that is broken needs them whole.
const startLimit = 30_000;
const stopLimit = 30_000;

export class App {
  /** Everything the program has logged, over all its starts. */
  log = '';
  #process: ChildProcess | undefined;
  #address = '127.0.0.1:0';
  readonly #folder: string;
  readonly #env: Env;

  private constructor(folder: string, env: Env) {
    this.#folder = folder;
    this.#env = env;
  }

  /** Starts the program; `env` is added to the settings every test runs with. */
  static async start(env: Env = {}): Promise<App> {
    const folder = await mkdtemp(join(tmpdir(), 'frontdoor-e2e-'));
    const app = new App(folder, {
      // Nothing of the developer's own settings may reach the program.
      PATH: process.env.PATH ?? '',
      FRONTDOOR_OPS_LISTEN: 'off',
      FRONTDOOR_RATE_LIMIT: '0',
      FRONTDOOR_LOG_FORMAT: 'json',
      DATABASE_URL: `sqlite://${join(folder, 'frontdoor.db')}`,
      ...env,
    });
    await app.start();
    return app;
  }

  get url(): string {
    return `http://${this.#address}`;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Starts it again, after `stop` or `kill`, at the same address with the same data. */
  async start() {
    if (this.#process) throw new Error('the program is running already');
    const child = spawn(binary, ['serve'], {
      cwd: this.#folder,
      env: { ...this.#env, FRONTDOOR_LISTEN: this.#address },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#process = child;
    this.#address = await this.#listening(child);
    const answer = await fetch(this.url, { signal: AbortSignal.timeout(startLimit) });
    if (!answer.ok) throw new Error(`the program answers ${answer.status}`);
  }

  /** Ends it in good order, as an operator would. */
  async stop() {
    await this.#end('SIGTERM');
  }

  /** Ends it at once, as a power cut would. */
  async kill() {
    await this.#end('SIGKILL');
  }

  async restart() {
    await this.stop();
    await this.start();
  }

  /** Runs another command of the program on the same data and returns what it prints. */
  async command(...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(binary, args, {
      cwd: this.#folder,
      env: this.#env,
      timeout: startLimit,
    });
    return stdout;
  }

  /** Ends it for good and takes its data away. */
  async dispose() {
    if (this.#process) await this.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** The address it says it listens on. */
  #listening(child: ChildProcess): Promise<string> {
    const from = this.log.length;
    return new Promise((resolve, reject) => {
      const fail = (why: string) => {
        child.kill('SIGKILL');
        reject(new Error(`${binary} ${why}\n${this.log.slice(from)}`));
      };
      const limit = setTimeout(() => fail('does not start'), startLimit);
      const onOutput = (chunk: Buffer) => {
        this.log += chunk;
        const address = /"message":"listening","address":"([^"]+)"/.exec(this.log.slice(from))?.[1];
        if (!address) return;
        clearTimeout(limit);
        resolve(address);
      };
      child.stdout?.on('data', onOutput);
      child.stderr?.on('data', onOutput);
      child.once('error', (error) => fail(error.message));
      child.once('exit', (code) => {
        clearTimeout(limit);
        fail(`ended with ${code}`);
      });
    });
  }

  async #end(signal: 'SIGTERM' | 'SIGKILL') {
    const child = this.#process;
    this.#process = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    const limit = setTimeout(() => child.kill('SIGKILL'), stopLimit);
    const [, killedBy] = await exited;
    clearTimeout(limit);
    if (killedBy === 'SIGKILL' && signal !== 'SIGKILL') {
      throw new Error(`the program did not stop within ${stopLimit} ms of ${signal}`);
    }
  }
}
