/**
 * Fonts, pictures and icons as files with their address: what the pages refer to and
 * what neither React nor Vite needs to know how to make. The tools that make them
 * are loaded only when something has to be made.
 */
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { PictureFile } from '../src/content/types.ts';
import { cache } from './cache.ts';
import type { BuiltFonts } from './fonts.ts';
import { hashedUrl } from './hashed-url.ts';
import { paths } from './paths.ts';

export type Media = {
  /** Address to bytes. */
  files: Map<string, Buffer>;
  /** Drawings by their names, photos by their paths in `content/`. */
  pictures: Record<string, PictureFile>;
  fontCss: string;
  /** Addresses of the fonts every page paints first. */
  fonts: string[];
};

/** The file the icons and the preview pictures take the site's mark from. */
export const readMark = () => readFile(join(paths.pictures, 'mark.svg'), 'utf8');

export const icons = (mark: string) =>
  cache.kept('icons', [mark], async () => (await import('./icons.ts')).buildIcons(mark));

export async function buildMedia(photos: Pick<Media, 'files' | 'pictures'>): Promise<Media> {
  const [fonts, drawings] = await Promise.all([
    cache.kept('fonts', [], buildFontsAside),
    buildPictures(),
  ]);
  const files = new Map(photos.files);
  const pictures: Media['pictures'] = { ...photos.pictures };
  for (const { name, data, size } of drawings) {
    const src = hashedUrl(name, 'svg', data);
    files.set(src, data);
    pictures[name] = { src, ...size };
  }
  let fontCss = fonts.css;
  const fontUrls = fonts.files.map(({ name, data }) => {
    const src = hashedUrl(name, 'woff2', data);
    files.set(src, Buffer.from(data));
    fontCss = fontCss.replaceAll(`%${name}%`, src);
    return src;
  });
  return { files, pictures, fontCss, fonts: fontUrls };
}

async function buildFontsAside(): Promise<BuiltFonts> {
  const [fonts] = await once(new Worker(new URL('./fonts-thread.ts', import.meta.url)), 'message');
  return fonts;
}

async function buildPictures() {
  const drawings = (await readdir(paths.pictures)).filter((file) => file.endsWith('.svg')).sort();
  return Promise.all(
    drawings.map(async (file) => {
      const source = await readFile(join(paths.pictures, file), 'utf8');
      const built = await cache.kept('picture', [file, source], async () => {
        const { buildPicture, pictureSize } = await import('./pictures.ts');
        return { data: Buffer.from(buildPicture(file, source)), size: pictureSize(file, source) };
      });
      return { name: file.replace(/\.svg$/, ''), ...built };
    }),
  );
}
