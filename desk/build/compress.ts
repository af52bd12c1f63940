/** Compresses what the server embeds. A phone with a bad connection must open the desk quickly: files have a limit. */
import { readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';

const limit = 120_000;

for (const name of ['desk.js', 'desk.css', 'index.html']) {
  const file = new URL(`../dist/${name}`, import.meta.url);
  const compressed = brotliCompressSync(readFileSync(file));
  writeFileSync(`${file.pathname}.br`, compressed);
  console.log(`${name}: ${compressed.length} bytes of brotli`);
  if (compressed.length > limit) throw new Error(`${name} has more than ${limit} bytes of brotli`);
}
