/**
 * Fonts and pictures as files with their address: what the pages refer to and
 * what neither React nor Vite needs to know how to make.
 */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PictureFile } from '../src/content/types.ts';
import { buildFonts } from './fonts.ts';
import { paths } from './paths.ts';
import { buildPicture, pictureSize } from './pictures.ts';

export type Media = {
  /** Address to bytes. */
  files: Map<string, Buffer>;
  pictures: Record<string, PictureFile>;
  fontCss: string;
  /** Addresses of the fonts every page paints first. */
  fonts: string[];
};

export async function buildMedia(): Promise<Media> {
  const files = new Map<string, Buffer>();
  const pictures: Media['pictures'] = {};
  for (const file of (await readdir(paths.pictures))
    .filter((name) => name.endsWith('.svg'))
    .sort()) {
    const name = file.replace(/\.svg$/, '');
    const path = join(paths.pictures, file);
    const data = Buffer.from(await buildPicture(path));
    const src = hashedUrl(name, 'svg', data);
    files.set(src, data);
    pictures[name] = { src, ...(await pictureSize(path)) };
  }

  const fonts = await buildFonts();
  let fontCss = fonts.css;
  const fontUrls = fonts.files.map(({ name, data }) => {
    const src = hashedUrl(name, 'woff2', data);
    files.set(src, data);
    fontCss = fontCss.replaceAll(`%${name}%`, src);
    return src;
  });
  return { files, pictures, fontCss, fonts: fontUrls };
}

/** The address of an asset whose name changes with its content. */
export function hashedUrl(name: string, extension: string, data: Buffer | string): string {
  const hash = createHash('sha256').update(data).digest('base64url').slice(0, 8);
  return `/assets/${name}-${hash}.${extension}`;
}
