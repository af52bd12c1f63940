/** A browser's processes: started, watched, and ended by their id. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

/** A browser that does not answer within this time is broken, even on a busy machine. */
export const answerLimit = 60_000;

export class Program {
  readonly #process: ChildProcess;
  readonly #name: string;

  constructor(command: string, args: string[], options: SpawnOptions) {
    this.#name = command;
    this.#process = spawn(command, args, options);
    // Whoever waits for the process reports its errors; an error without a listener would end the tests.
    this.#process.on('error', () => {});
  }

  /** The first output that matches, on the stream with this number. */
  async says(pattern: RegExp, stream: 1 | 2 | 3): Promise<string> {
    const limit = AbortSignal.timeout(answerLimit);
    let said = '';
    try {
      for (const chunks = this.#process.stdio[stream] as Readable; ; ) {
        const [chunk] = await once(chunks, 'data', { signal: limit });
        said += chunk;
        const found = pattern.exec(said)?.[1];
        if (!found) continue;
        // Keeps reading: the process would block on a full pipe.
        chunks.resume();
        return found;
      }
    } catch (error) {
      throw new Error(`${this.#name} did not start: ${said}`, { cause: error });
    }
  }

  async end() {
    const { exitCode, signalCode, pid } = this.#process;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    const exited = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    const limit = setTimeout(() => this.#process.kill('SIGKILL'), answerLimit);
    await exited;
    clearTimeout(limit);
  }
}
