/** The WebDriver BiDi protocol over its socket: commands and their answers. */
import { once } from 'node:events';
import { answerLimit } from './engine.ts';

type Answer = { id: number; result?: unknown; error?: string; message?: string };
type Waiting = { resolve: (result: unknown) => void; reject: (error: Error) => void };

export class BiDi {
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
