/**
 * The thread that serves the peers of our pages. A thread of its own: Lighthouse keeps
 * the main one busy, and a page that waits for it would look slower than it is.
 */
import { once } from 'node:events';
import { createServer, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

export type Answer = { headers: OutgoingHttpHeaders; body: Uint8Array };

const answers: Map<string, Answer> = workerData;

const server = createServer((request, response) => {
  const answer = answers.get(request.url ?? '');
  if (!answer) return void response.writeHead(404).end();
  const { headers, body } = answer;
  response.writeHead(200, { ...headers, 'content-length': body.length }).end(body);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
parentPort?.postMessage((server.address() as AddressInfo).port);
