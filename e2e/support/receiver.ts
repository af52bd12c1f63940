/** An automation tool's webhook: keeps what it is sent, byte by byte. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Delivery = { method: string | undefined; headers: IncomingHttpHeaders; body: string };

export class Receiver {
  readonly deliveries: Delivery[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const chunks = await request.toArray();
      const body = Buffer.concat(chunks).toString();
      this.deliveries.push({ method: request.method, headers: request.headers, body });
      response.writeHead(204).end();
    });
  }

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  async stop() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
