/**
 * Makes a drawing of `pictures/` ready to send: words become outlines, the rest is minified.
 *
 * Animated elements carry a class, and a CSS transform replaces a transform attribute. So the
 * passes of svgo that move attributes between elements, or drop what is invisible at first, stay
 * off, and so does the one that inlines rules: it would outrank the reduced-motion rules.
 */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Config, optimize } from 'svgo';
import { outlineText } from './outline-text.ts';

const config: Config = {
  multipass: true,
  floatPrecision: 2,
  plugins: [
    { name: 'outline-text', fn: () => ({ root: { enter: outlineText } }) },
    {
      name: 'preset-default',
      params: {
        overrides: {
          cleanupIds: false,
          collapseGroups: false,
          inlineStyles: false,
          mergePaths: false,
          moveElemsAttrsToGroup: false,
          moveGroupAttrsToElems: false,
          removeHiddenElems: false,
        },
      },
    },
  ],
};

export async function buildPicture(file: string): Promise<string> {
  const source = await readFile(file, 'utf8');
  try {
    return optimize(source, config).data;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${basename(file)}: ${reason}`, { cause });
  }
}

export interface PictureSize {
  width: number;
  height: number;
}

/** The size written on the root element, for the `<img>` to reserve its place. */
export async function pictureSize(file: string): Promise<PictureSize> {
  const root = /<svg\b[^>]*>/.exec(await readFile(file, 'utf8'))?.[0] ?? '';
  return { width: readLength(root, 'width', file), height: readLength(root, 'height', file) };
}

function readLength(root: string, name: string, file: string): number {
  const value = Number(new RegExp(`\\s${name}="([\\d.]+)"`).exec(root)?.[1]);
  if (!(value > 0)) throw new Error(`${basename(file)}: the root element has no ${name}`);
  return value;
}
