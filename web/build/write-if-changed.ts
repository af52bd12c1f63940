import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The compiler goes by the time of a file: one that stays the same stays untouched. */
export async function writeIfChanged(file: string, bytes: Buffer) {
  const before = await readFile(file).catch(() => undefined);
  if (before?.equals(bytes)) return;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, bytes);
}
