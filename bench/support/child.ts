/** Programs under measurement: pinned to cores, watched, ended by their id. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../../e2e/support/program.ts';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export const folders = {
  project: at('../..'),
  bench: at('..'),
  peers: at('../peers'),
  tmp: at('../tmp'),
};
export const binary = join(folders.project, 'target/release/frontdoor');

/** What is measured has the first core for itself, what measures it the second. */
export const serverCore = 0;
export const loadCore = 1;

/**
 * Without what npm adds to it: peers run on the system's Node, for which their
 * native parts were built.
 */
const path = (process.env.PATH ?? '')
  .split(':')
  .filter((folder) => !folder.includes('node_modules'))
  .join(':');

const startLimit = 20_000;
const stopLimit = 15_000;
/** The kernel counts processor time in hundredths of a second. */
const ticksPerSecond = 100;

type Options = {
  url: string;
  env?: Record<string, string>;
  cwd?: string;
  /** The only core it may run on. */
  core?: number;
};

export class Child {
  readonly url: string;
  /** From the start of the program to its first 200, in milliseconds. */
  readonly startedIn: number;
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess, url: string, startedIn: number) {
    this.#process = process;
    this.url = url;
    this.startedIn = startedIn;
  }

  /** Starts a program and waits until its address answers. */
  static async start(command: string[], { url, env, cwd, core }: Options): Promise<Child> {
    await mkdir(folders.tmp, { recursive: true });
    const log = await open(join(folders.tmp, `${new URL(url).port}.log`), 'w');
    const pinned = core === undefined ? command : ['taskset', '-c', `${core}`, ...command];
    const [program = '', ...args] = pinned;
    const began = performance.now();
    const child = spawn(program, args, {
      cwd: cwd ?? folders.tmp,
      env: { PATH: path, ...env },
      stdio: ['ignore', log.fd, log.fd],
    });
    await log.close();
    let failure = '';
    child.once('error', (error) => {
      failure = error.message;
    });
    while (!(await answers(url))) {
      if (child.exitCode !== null) failure = `ended with ${child.exitCode}`;
      if (failure || performance.now() - began > startLimit) {
        child.kill('SIGKILL');
        throw new Error(`${command.join(' ')}: ${failure || 'does not answer'}`);
      }
    }
    return new Child(child, url, performance.now() - began);
  }

  /** Processor time so far, in seconds, of all its threads. */
  get cpuSeconds(): number {
    const fields = this.#proc('stat')
      .replace(/^.*\) /, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  }

  /** Resident memory in megabytes: now, and the most it ever was. */
  get memory(): { now: number; peak: number } {
    const status = this.#proc('status');
    const megabytes = (key: string) =>
      (Number(new RegExp(`${key}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024) / 1e6;
    return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') };
  }

  async stop() {
    const child = this.#process;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    const limit = setTimeout(() => child.kill('SIGKILL'), stopLimit);
    await exited;
    clearTimeout(limit);
  }

  #proc(file: string): string {
    return readFileSync(`/proc/${this.#process.pid}/${file}`, 'utf8');
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(1000) });
    await answer.arrayBuffer();
    return answer.status < 500;
  } catch {
    return false;
  }
}

/** Our own program on an empty database, with its log on as in production. */
export async function startFrontdoor(
  env: Record<string, string> = {},
  core?: number,
  program = binary,
): Promise<Child> {
  const port = await freePort();
  const data = await emptyFolder(`data-${port}`);
  return Child.start([program, 'serve'], {
    url: `http://127.0.0.1:${port}/`,
    env: {
      FRONTDOOR_LISTEN: `127.0.0.1:${port}`,
      FRONTDOOR_OPS_LISTEN: 'off',
      FRONTDOOR_RATE_LIMIT: '0',
      FRONTDOOR_LOG_FORMAT: 'json',
      DATABASE_URL: `sqlite://${join(data, 'frontdoor.db')}`,
      ...env,
    },
    ...(core !== undefined && { core }),
  });
}

export async function emptyFolder(name: string): Promise<string> {
  const folder = join(folders.tmp, name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  return folder;
}

/** Runs a command to its end and returns what it prints. At its limit all that it started is ended, too. */
export async function run(
  command: string[],
  options: { cwd?: string; env?: Record<string, string>; minutes?: number } = {},
): Promise<string> {
  const limited = [`${options.minutes ?? 5}m`, ...command];
  const { stdout } = await promisify(execFile)('timeout', limited, {
    cwd: options.cwd ?? folders.project,
    env: { ...process.env, PATH: path, ...options.env },
    maxBuffer: 64 * 2 ** 20,
  });
  return stdout;
}
