/** Pages as files in memory: taken from our program as it sends them, and sent again by the peers. */
import { once } from 'node:events';
import { get, type IncomingHttpHeaders } from 'node:http';
import { Worker } from 'node:worker_threads';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import type { Answer } from './answer-server.ts';

/** Each under its path. */
export type Answers = Map<string, Answer>;
export type Served = { url: string; close: () => Promise<void> };

/** What the browser asks for besides a page: all but scripts and style files. */
const filePattern = /\/(?:assets\/[\w.-]+\.(?!js|css)\w+|favicon\.\w+|site\.webmanifest)/g;

/** Blocks of data (`application/ld+json`) are none: nothing runs them. */
const scriptPattern = /<script(?![^>]*type="application\/ld\+json")[^>]*>.*?<\/script>/gs;

const requestLimit = 10_000;
/** Of one answer or connection; all others the peers send too, above all those of security. */
const ownHeaders = ['connection', 'content-length', 'date', 'etag', 'keep-alive', 'x-request-id'];

/** A file in the encoding it is sent in, which `fetch` would undo. */
export async function asServed(url: URL): Promise<Answer> {
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

/** The files that a page of ours refers to, but for its scripts. */
export async function filesOf(html: string, origin: string): Promise<Answers> {
  const files: Answers = new Map();
  for (const path of new Set(html.match(filePattern))) {
    files.set(path, await asServed(new URL(path, origin)));
  }
  return files;
}

/** What was compressed, as it was before. */
export const plain = ({ headers, body }: Answer): Uint8Array =>
  headers['content-encoding'] === 'br' ? brotliDecompressSync(body) : body;

const brotli = (body: string | Uint8Array) =>
  brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });

/** With the headers of another answer, compressed as our own build does it. */
export const compressed = (body: string | Uint8Array, headers: Answer['headers']): Answer => ({
  headers: { ...headers, 'content-encoding': 'br' },
  body: brotli(body),
});

/** What the scripts inside a page take in it. */
export function inlineScriptBytes(html: string): number {
  const scripts = html.match(scriptPattern) ?? [];
  return scripts.length > 0 ? brotli(scripts.join('')).length : 0;
}

export const withoutScripts = (html: string) => html.replace(scriptPattern, '');

export async function serve(answers: Answers): Promise<Served> {
  const workerData = answers;
  const thread = new Worker(new URL('./answer-server.ts', import.meta.url), { workerData });
  const [port] = await once(thread, 'message', { signal: AbortSignal.timeout(requestLimit) });
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => void (await thread.terminate()),
  };
}
