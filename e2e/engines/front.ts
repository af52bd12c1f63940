/**
 * Stands between the browser and the program, the same for every engine: holds
 * scripts back until a journey lets them go, and adds a script to each page that
 * notes what a console would show. WebKit's driver cannot tell it.
 */
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { noteComplaints } from './complaints.ts';

const noting = '/note-complaints.js';

export class Front {
  readonly #server: Server;
  readonly #program: URL;
  /** What was asked for and cannot be had. */
  readonly refused: string[] = [];
  #letGo: (() => void) | undefined;
  #scripts = Promise.resolve();

  private constructor(program: string) {
    this.#program = new URL(program);
    this.#server = createServer((asked, answer) => {
      // Whoever goes on to the next page leaves answers behind, cut short.
      this.#answer(asked, answer).catch(() => answer.destroy());
    });
  }

  static async start(program: string): Promise<Front> {
    const front = new Front(program);
    front.#server.listen(0, '127.0.0.1');
    await once(front.#server, 'listening');
    return front;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  holdScripts() {
    this.#scripts = new Promise((resolve) => {
      this.#letGo = resolve;
    });
  }

  letScriptsGo() {
    this.#letGo?.();
  }

  async stop() {
    this.letScriptsGo();
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(asked: IncomingMessage, answer: ServerResponse) {
    if (asked.url === noting) {
      answer.writeHead(200, { 'content-type': 'text/javascript' }).end(`(${noteComplaints})()`);
      return;
    }
    if (asked.url?.endsWith('.js')) await this.#scripts;
    const got = await this.#pass(asked);
    if ((got.statusCode ?? 502) >= 400) this.refused.push(`${got.statusCode}: ${asked.url}`);
    const { 'content-length': _, ...headers } = got.headers;
    answer.writeHead(got.statusCode ?? 502, headers);
    if (!headers['content-type']?.startsWith('text/html')) return pipeline(got, answer);
    const page = (await buffer(got)).toString();
    answer.end(page.replace('<head>', `<head><script src="${noting}"></script>`));
  }

  async #pass(asked: IncomingMessage): Promise<IncomingMessage> {
    const { hostname, port } = this.#program;
    const { method, url: path, headers } = asked;
    // Uncompressed, to be read here.
    const passed = request({
      hostname,
      port,
      method,
      path,
      headers: { ...headers, 'accept-encoding': 'identity' },
    });
    const answered = once(passed, 'response');
    const [[got]] = await Promise.all([answered, pipeline(asked, passed)]);
    return got;
  }
}
