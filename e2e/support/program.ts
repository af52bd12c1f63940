/** Programs that tests start, watch, and end by their process ids. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:net';
import { Readable } from 'node:stream';

/** A program that takes longer to start, to answer or to stop is broken, even on a busy machine. */
export const answerLimit = 60_000;

export class Program {
  /** Everything it has written to the streams that are piped. */
  said = '';
  readonly #name: string;
  readonly #process: ChildProcess;
  readonly #news = new EventEmitter();

  constructor(command: string, args: string[], options: SpawnOptions) {
    this.#name = command;
    this.#process = spawn(command, args, options);
    const note = (what: unknown) => {
      this.said += what;
      this.#news.emit('news');
    };
    for (const stream of this.#process.stdio)
      if (stream instanceof Readable) stream.on('data', note);
    // An error without a listener would end the tests.
    this.#process.on('error', note);
    this.#process.on('close', () => note(''));
  }

  get hasEnded(): boolean {
    const { exitCode, signalCode, pid } = this.#process;
    return pid === undefined || exitCode !== null || signalCode !== null;
  }

  /** Waits until it has written something that matches, and returns the first group. */
  async says(pattern: RegExp): Promise<string> {
    const signal = AbortSignal.timeout(answerLimit);
    for (;;) {
      const found = pattern.exec(this.said)?.[1];
      if (found) return found;
      if (this.hasEnded || signal.aborted)
        throw new Error(`${this.#name} does not start:\n${this.said}`);
      await once(this.#news, 'news', { signal }).catch(() => {});
    }
  }

  /** Returns the signal that ended it, if one did. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<string | null> {
    if (this.hasEnded) return this.#process.signalCode;
    const exited = once(this.#process, 'exit');
    this.#process.kill(signal);
    const limit = setTimeout(() => this.#process.kill('SIGKILL'), answerLimit);
    await exited;
    clearTimeout(limit);
    return this.#process.signalCode;
  }
}

/** For programs that cannot choose a port themselves and report it. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || !address) throw new Error('no free port');
  return address.port;
}
