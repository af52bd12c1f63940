/** Font files as the packages ship them, found and opened by their path inside `node_modules`. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { create, type Font } from 'fontkit';

const opened = new Map<string, Font>();

export function readPackageFont(path: string): Buffer {
  try {
    return readFileSync(fileURLToPath(import.meta.resolve(path)));
  } catch (cause) {
    throw new Error(`no font file ${path}`, { cause });
  }
}

/** Opened once and kept: pictures and measurements ask for the same few cuts over and over. */
export function openPackageFont(path: string): Font {
  const known = opened.get(path);
  if (known) return known;
  const font = create(readPackageFont(path));
  if (!('layout' in font)) throw new Error(`${path} is a collection`);
  opened.set(path, font);
  return font;
}
