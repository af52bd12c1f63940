/** Our own home page as the peers get it: the same bytes, the same headers. */

import { writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { emptyFolder } from './child.ts';

export type Home = {
  /** Holds index.html and index.html.br. */
  folder: string;
  html: string;
  /** Those that every server can set beforehand. */
  headers: Record<string, string>;
  tag: string;
};

/** Said by each server in its own way. */
const own = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'etag',
  'keep-alive',
  'transfer-encoding',
  'vary',
  'x-request-id',
]);

export const acceptEncoding = { 'accept-encoding': 'br, gzip' };

export async function copyHome(url: string): Promise<Home> {
  const folder = await emptyFolder('www');
  const answer = await fetch(url, { headers: acceptEncoding });
  const html = await answer.text();
  await writeFile(join(folder, 'index.html'), html);
  await writeFile(join(folder, 'index.html.br'), await compressed(url));
  return {
    folder,
    html,
    headers: Object.fromEntries([...answer.headers].filter(([name]) => !own.has(name))),
    tag: answer.headers.get('etag') ?? '',
  };
}

/** The bytes on the wire; `fetch` would decompress them. */
async function compressed(url: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    get(url, { headers: acceptEncoding }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.on('end', () => resolve(Buffer.concat(chunks)));
      answer.on('error', reject);
    }).on('error', reject);
  });
}
