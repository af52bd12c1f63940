/**
 * The usual way to serve files from Node: fastify with its static plugin,
 * compressed beforehand, with an access log.
 *
 * node fastify-static.js PORT FOLDER HEADERS_AS_JSON
 */
import { join } from 'node:path';
import files from '@fastify/static';
import Fastify from 'fastify';

const [port, folder, headers] = process.argv.slice(2);

const app = Fastify({ logger: { file: join(folder, '..', 'fastify.log') } });
app.addHook('onRequest', async (request, reply) => {
  reply.headers({ ...JSON.parse(headers), 'x-request-id': request.id });
});
app.register(files, { root: folder, preCompressed: true, cacheControl: false });
await app.listen({ port: Number(port), host: '127.0.0.1' });
