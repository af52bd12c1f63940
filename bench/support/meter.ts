/**
 * Stands between a browser and a server and notes what is sent: every answer,
 * its headers and its body as it is encoded. The browser's own figures leave
 * out the manifest or a worker's script, and count twice what it takes from
 * its cache.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Sent = { path: string; type: string; head: number; body: number };

export class Meter {
  readonly sent: Sent[] = [];
  readonly #server: Server;

  private constructor(origin: string) {
    const { host } = new URL(origin);
    this.#server = createServer((asked, response) => {
      const { method, url = '/' } = asked;
      const options = { method: method ?? 'GET', headers: { ...asked.headers, host } };
      const passed = request(new URL(url, origin), options, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
        this.#note(url, answer);
      });
      passed.on('error', (error) => response.destroy(error));
      asked.pipe(passed);
    });
  }

  static async before(origin: string): Promise<Meter> {
    const meter = new Meter(origin);
    meter.#server.listen(0, '127.0.0.1');
    await once(meter.#server, 'listening');
    return meter;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close() {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #note(path: string, answer: IncomingMessage) {
    const type = answer.headers['content-type'] ?? '';
    const sent: Sent = { path, type, head: headLength(answer), body: 0 };
    this.sent.push(sent);
    answer.on('data', (chunk: Buffer) => {
      sent.body += chunk.length;
    });
  }
}

/** "HTTP/1.1 200 OK", then "name: value" in a line each, then an empty one. */
const headLength = ({ statusMessage = '', rawHeaders }: IncomingMessage) =>
  `HTTP/1.1 200 ${statusMessage}\r\n\r\n`.length +
  rawHeaders.reduce((sum, part) => sum + part.length + 2, 0);
