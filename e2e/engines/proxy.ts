/**
 * A proxy between the browser and the program, the same for every engine. It holds
 * scripts back until a test releases them, and adds a script to each page that
 * records the console's errors, because WebKit's driver does not report them.
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

const noting = '/note-complaints.js';

export class TestProxy {
  readonly #server: Server;
  readonly program: URL;
  /** Requests that failed. */
  readonly refused: string[] = [];
  #scripts = Promise.withResolvers<void>();
  #fonts = true;

  private constructor(program: string) {
    this.program = new URL(program);
    this.releaseScripts();
    this.#server = createServer((asked, answer) => {
      // A visitor who goes to the next page cancels the responses that are on their way.
      this.#answer(asked, answer).catch(() => answer.destroy());
    });
  }

  static async start(program: string): Promise<TestProxy> {
    const proxy = new TestProxy(program);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  holdScripts() {
    this.#scripts = Promise.withResolvers();
  }

  releaseScripts() {
    this.#scripts.resolve();
  }

  /** From now on every page is drawn in the system's font, even if its own fonts would arrive in time. */
  withoutFonts() {
    this.#fonts = false;
  }

  async stop() {
    this.releaseScripts();
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
    if (!this.#fonts && asked.url?.endsWith('.woff2')) {
      answer.writeHead(204).end();
      return;
    }
    if (asked.url?.endsWith('.js')) await this.#scripts.promise;
    const got = await this.#pass(asked);
    if ((got.statusCode ?? 502) >= 400) this.refused.push(`${got.statusCode}: ${asked.url}`);
    const { 'content-length': _, ...headers } = got.headers;
    answer.writeHead(got.statusCode ?? 502, headers);
    if (!headers['content-type']?.startsWith('text/html')) return pipeline(got, answer);
    const page = (await buffer(got)).toString();
    answer.end(page.replace('<head>', `<head><script src="${noting}"></script>`));
  }

  async #pass(asked: IncomingMessage): Promise<IncomingMessage> {
    const { hostname, port } = this.program;
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

/** Runs in every page before its own scripts: records their errors in the tab's storage. */
function noteComplaints() {
  const note = (what: string) => {
    const seen = JSON.parse(sessionStorage.getItem('complaints') ?? '[]');
    sessionStorage.setItem(
      'complaints',
      JSON.stringify([...seen, `${location.pathname}: ${what}`]),
    );
  };
  addEventListener('error', ({ message }) => note(message));
  addEventListener('unhandledrejection', ({ reason }) => {
    // Leaving a page cancels its imports, which is no error; `TestProxy` reports the requests that failed.
    if (!/module script failed|imported module/.test(reason)) note(`unhandled: ${reason}`);
  });
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    note(`${violatedDirective} forbids ${blockedURI}`),
  );
  const tell = console.error;
  console.error = (...words) => {
    note(words.join(' '));
    tell(...words);
  };
}

/** Runs in the page. */
export const notedComplaints = (): string[] =>
  JSON.parse(sessionStorage.getItem('complaints') ?? '[]');
