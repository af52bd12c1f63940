/** The desk opens on a phone in a train: its script stays below this many bytes of brotli. */
import { readFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';

const limit = 120_000;

const script = brotliCompressSync(readFileSync(new URL('../dist/desk.js', import.meta.url))).length;
console.log(`desk.js: ${script} bytes of brotli, ${limit} at most`);
if (script > limit) process.exitCode = 1;
