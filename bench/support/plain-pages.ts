/**
 * The peer of our pages: what a static site generator's template would serve.
 * It is our own home page (HTML, inlined CSS, fonts, pictures, headers) without
 * any script, from memory, so that all that differs is what the scripts cost.
 */
import { once } from 'node:events';
import { get, type IncomingHttpHeaders } from 'node:http';
import { Worker } from 'node:worker_threads';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import type { Answer } from './plain-server.ts';

export type PlainPage = { url: string; close: () => Promise<void> };

/** What the browser asks for besides the page: all but scripts and style files. */
const filePattern = /\/(?:assets\/[\w.-]+\.(?!js|css)\w+|favicon\.\w+|site\.webmanifest)/g;
/** Blocks of data (`application/ld+json`) stay: nothing runs them. */
const scriptPattern = /<script(?![^>]*type="application\/ld\+json")[^>]*>.*?<\/script>/gs;
const preloadPattern = /<link[^>]*(?:modulepreload|as="script")[^>]*>/g;

const requestLimit = 10_000;
/** Of one answer or connection; all others the peer sends too, above all those of security. */
const ownHeaders = ['connection', 'content-length', 'date', 'etag', 'keep-alive', 'x-request-id'];

/** Serves the page made from the program's at `origin`. */
export async function servePlainPage(origin: string): Promise<PlainPage> {
  const page = await asServed(new URL(origin));
  const html = withoutScripts(brotliDecompressSync(page.body).toString());
  const body = brotliCompressSync(html, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  const answers = new Map<string, Answer>([['/', { ...page, body }]]);
  for (const path of new Set(html.match(filePattern))) {
    answers.set(path, await asServed(new URL(path, origin)));
  }

  const thread = new Worker(new URL('./plain-server.ts', import.meta.url), { workerData: answers });
  const [port] = await once(thread, 'message', { signal: AbortSignal.timeout(requestLimit) });
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => void (await thread.terminate()),
  };
}

export function withoutScripts(html: string): string {
  return html.replace(scriptPattern, '').replace(preloadPattern, '');
}

/** A file in the encoding it is sent in, which `fetch` would undo. */
async function asServed(url: URL): Promise<Answer> {
  const headers = { 'accept-encoding': 'br' };
  const request = get(url, { headers, signal: AbortSignal.timeout(requestLimit) });
  const [response] = await once(request, 'response');
  if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode}`);
  const kept = Object.entries(response.headers as IncomingHttpHeaders).filter(
    ([name]) => !ownHeaders.includes(name),
  );
  const chunks: Buffer[] = await response.toArray();
  return { headers: Object.fromEntries(kept), body: Buffer.concat(chunks) };
}
