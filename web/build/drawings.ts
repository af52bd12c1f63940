/**
 * The drawings of `web/pictures` and the owner's mark, made ready to send. The tool that minifies them is loaded
 * only when one has changed.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from 'svgo';
import type { PictureFile, Site } from '../src/content/types.ts';
import { cache } from './cache.ts';
import { hashedUrl } from './dist.ts';
import { recolouring } from './recolour.ts';

/** The drawings of `folder` in the owner's colours, and with the owner's mark where there is one. */
export async function buildDrawings(folder: string, brand: Site['brand'], ownMark = '') {
  const recolour = recolouring(brand);
  const names = (await readdir(folder)).filter((file) => file.endsWith('.svg')).sort();
  const drawings = await Promise.all(
    names.map(async (file) => {
      const source = recolour(await readFile(join(folder, file), 'utf8'));
      const data = await cache.getOrMake('picture', [file, source, ownMark], async () =>
        Buffer.from(await buildPicture(file, ownMark ? await withMark(source, ownMark) : source)),
      );
      const name = file.replace(/\.svg$/, '');
      const size = pictureSize(file, source);
      return { name, source, data, picture: { src: hashedUrl(name, 'svg', data), ...size } };
    }),
  );
  const own = ownMark ? [markPicture(ownMark)] : [];
  return {
    files: new Map([...drawings, ...own].map(({ picture, data }) => [picture.src, data])),
    pictures: new Map<string, PictureFile>(drawings.map(({ name, picture }) => [name, picture])),
    ownMark: own[0]?.picture,
    /** For icons and preview pictures. */
    mark: ownMark || (drawings.find(({ name }) => name === 'mark')?.source ?? ''),
  };
}

/**
 * Animated elements have a class, and a CSS transform replaces a transform attribute. So the passes of svgo that
 * move attributes between elements, or drop what is invisible at first, are off, and so is the one that inlines
 * rules: inlined, they would outrank the rules for reduced motion.
 */
const config: Config = {
  multipass: true,
  floatPrecision: 2,
  plugins: [
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

/** Minified; a mistake is reported with `name`. */
export async function buildPicture(name: string, source: string): Promise<string> {
  const { optimize } = await import('svgo');
  try {
    // An image can't use the page's fonts.
    if (/<text\b/.test(source)) throw new Error('has text: convert it to paths');
    return optimize(source, config).data;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${name}: ${reason}`, { cause });
  }
}

/** The size written on the root element, for the `<img>` to reserve its place. */
function pictureSize(name: string, source: string) {
  const root = /<svg\b[^>]*>/.exec(source)?.[0] ?? '';
  const length = (side: string) => {
    const value = Number(new RegExp(`\\s${side}="([\\d.]+)"`).exec(root)?.[1]);
    if (!(value > 0)) throw new Error(`${name}: the root element has no ${side}`);
    return value;
  };
  return { width: length('width'), height: length('height') };
}

/** The square that pages, icons, drawings and preview pictures have for a mark, in pixels. */
const markSize = 32;
/** In bytes: every page shows it. */
const largestMark = 30_000;

/** The owner's own mark, whatever its shape, in a square; a mistake is reported with `name`. */
export const buildMark = (name: string, source: string): Promise<string> =>
  cache.getOrMake('mark', [name, source], async () => {
    const drawing = await buildPicture(name, source);
    if (drawing.length > largestMark) {
      const sizes = `${Math.ceil(drawing.length / 1000)} kB, and the limit is ${largestMark / 1000} kB`;
      throw new Error(`${name}: is ${sizes}: every page shows it, so use a simpler one`);
    }
    const [root = ''] = /<svg\b[^>]*>/.exec(drawing) ?? [];
    const whole = () => {
      const { width, height } = pictureSize(name, drawing);
      return ` viewBox="0 0 ${width} ${height}"`;
    };
    const viewBox = / viewBox="[^"]+"/.exec(root)?.[0] ?? whole();
    const bare = root.replaceAll(/ (width|height|viewBox)="[^"]*"/g, '');
    const fitted = drawing.replace(root, bare.replace('<svg', `<svg${viewBox}`));
    const side = `width="${markSize}" height="${markSize}" viewBox="0 0 ${markSize} ${markSize}"`;
    return `<svg xmlns="http://www.w3.org/2000/svg" ${side}>${fitted}</svg>`;
  });

function markPicture(mark: string) {
  const data = Buffer.from(mark);
  return {
    data,
    picture: { src: hashedUrl('mark', 'svg', data), width: markSize, height: markSize },
  };
}

/**
 * A drawing that shows the owner's mark wherever it was drawn with ours, in the group of that name. The mark's ids
 * get a prefix and its styles become attributes: the drawing has ids of its own, and a scene may have only one style.
 */
export async function withMark(drawing: string, mark: string): Promise<string> {
  const { optimize } = await import('svgo');
  const own = optimize(mark, {
    plugins: [
      { name: 'inlineStyles', params: { onlyMatchedOnce: false } },
      'convertStyleToAttrs',
      'removeStyleElement',
      { name: 'prefixIds', params: { prefix: 'mark' } },
    ],
  }).data;
  const ours = /(<g id="mark"[^>]*>).*?<\/g>/gs;
  return drawing.replace(ours, (_, group: string) => `${group}${own}</g>`);
}
