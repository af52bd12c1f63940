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
import type { LoadedContent } from './content.ts';
import type { BuiltFonts } from './fonts.ts';
import { hashedUrl } from './hashed-url.ts';
import { markSize, withMark } from './mark.ts';
import { paths } from './paths.ts';
import { recolouring } from './recolour.ts';

export type Media = {
  /** Address to bytes. */
  files: Map<string, Buffer>;
  /** Drawings by their names, photos by their paths in `content/`. */
  pictures: Record<string, PictureFile>;
  fontCss: string;
  /** Addresses of the fonts every page paints first. */
  fonts: string[];
  /** What the icons and the preview pictures take the site's mark from, as SVG. */
  mark: string;
};

export const icons = (mark: string, ink: string) =>
  cache.kept('icons', [mark, ink], async () => (await import('./icons.ts')).buildIcons(mark, ink));

export async function buildMedia({
  content,
  photos,
  mark,
}: Pick<LoadedContent, 'content' | 'photos' | 'mark'>): Promise<Media> {
  const { brand } = content.site;
  const recolour = recolouring(brand);
  const [fonts, drawings] = await Promise.all([
    cache.kept('fonts', [], buildFontsAside),
    buildPictures(recolour, mark),
  ]);
  const files = new Map(photos.files);
  const pictures: Media['pictures'] = { ...photos.pictures };
  if (brand?.mark && mark) {
    const data = Buffer.from(mark);
    const src = hashedUrl('mark', 'svg', data);
    files.set(src, data);
    pictures[brand.mark.file] = { src, width: markSize, height: markSize };
  }
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
  const drawnMark = recolour(await readFile(join(paths.pictures, 'mark.svg'), 'utf8'));
  return { files, pictures, fontCss, fonts: fontUrls, mark: mark ?? drawnMark };
}

async function buildFontsAside(): Promise<BuiltFonts> {
  const [fonts] = await once(new Worker(new URL('./fonts-thread.ts', import.meta.url)), 'message');
  return fonts;
}

async function buildPictures(recolour: (drawing: string) => string, mark = '') {
  const drawings = (await readdir(paths.pictures)).filter((file) => file.endsWith('.svg')).sort();
  return Promise.all(
    drawings.map(async (file) => {
      const source = recolour(await readFile(join(paths.pictures, file), 'utf8'));
      const built = await cache.kept('picture', [file, source, mark], async () => {
        const { buildPicture, pictureSize } = await import('./pictures.ts');
        const drawing = mark ? await withMark(source, mark) : source;
        return { data: Buffer.from(buildPicture(file, drawing)), size: pictureSize(file, source) };
      });
      return { name: file.replace(/\.svg$/, ''), ...built };
    }),
  );
}
