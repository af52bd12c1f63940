/**
 * Fonts, drawings, icons and preview pictures as files with their addresses. The tools that make them are loaded only
 * when something has to be made.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PictureFile, Site } from '../src/content/types.ts';
import type { PageMeta } from '../src/lib/head.ts';
import { cache } from './cache.ts';
import { hashedUrl, inParallel } from './dist.ts';
import { markSize, withMark } from './mark.ts';
import { recolouring } from './recolour.ts';

export const icons = (mark: string, ink: string) =>
  cache.getOrMake('icons', [mark, ink], async () =>
    (await import('./icons.ts')).buildIcons(mark, ink),
  );

/** Two fonts: their files, their rules, and the addresses that every page asks for first. */
export async function buildFontFiles() {
  const fonts = await cache.getOrMake('fonts', [], async () =>
    (await import('./fonts.ts')).buildFonts(),
  );
  const files = new Map<string, Buffer>();
  let { css } = fonts;
  for (const { name, data } of fonts.files) {
    const src = hashedUrl(name, 'woff2', data);
    files.set(src, Buffer.from(data));
    css = css.replaceAll(`%${name}%`, src);
  }
  return { files, css, urls: [...files.keys()] };
}

/** The drawings of `folder` in the owner's colours, and with the owner's mark where there is one. */
export async function buildDrawings(folder: string, brand: Site['brand'], ownMark = '') {
  const recolour = recolouring(brand);
  const names = (await readdir(folder)).filter((file) => file.endsWith('.svg')).sort();
  const drawings = await Promise.all(
    names.map(async (file) => {
      const source = recolour(await readFile(join(folder, file), 'utf8'));
      const { data, size } = await cache.getOrMake('picture', [file, source, ownMark], async () => {
        const { buildPicture, pictureSize } = await import('./pictures.ts');
        const drawing = ownMark ? await withMark(source, ownMark) : source;
        return { data: Buffer.from(buildPicture(file, drawing)), size: pictureSize(file, source) };
      });
      const name = file.replace(/\.svg$/, '');
      return { name, source, data, picture: { src: hashedUrl(name, 'svg', data), ...size } };
    }),
  );
  return {
    files: new Map(drawings.map(({ picture, data }) => [picture.src, data])),
    pictures: new Map<string, PictureFile>(drawings.map(({ name, picture }) => [name, picture])),
    /** As it was drawn, for icons and preview pictures. */
    mark: drawings.find(({ name }) => name === 'mark')?.source ?? '',
  };
}

export function markPicture(mark: string): { picture: PictureFile; file: [string, Buffer] } {
  const data = Buffer.from(mark);
  const src = hashedUrl('mark', 'svg', data);
  return { picture: { src, width: markSize, height: markSize }, file: [src, data] };
}

/** The pictures that links to the pages show when they are shared. */
export async function ogImages(metas: PageMeta[], site: Site, mark: string) {
  const { mark: _, ...colours } = site.brand ?? {};
  const pictures = new Map(metas.map(({ picture }) => [`/og/${picture.name}.png`, picture]));
  const images: { path: string; data: Buffer }[] = [];
  await inParallel(pictures, async ([path, { title, kicker }]) => {
    const input = { title, kicker, siteName: site.name, tagline: site.tagline, mark, colours };
    const data = await cache.getOrMake('og', [JSON.stringify(input)], async () =>
      (await import('./og.ts')).buildOgImage(input),
    );
    images.push({ path, data });
  });
  return images;
}
