/** The owner's own mark, of whatever shape, in the square that pages, icons, drawings and preview pictures have for it. */
import { cache } from './cache.ts';

export const markSize = 32;
/** Every page shows it. */
const most = 30_000;

/** `name` is what a mistake is reported with. */
export const buildMark = (name: string, source: string): Promise<string> =>
  cache.getOrMake('mark', [name, source], () => make(name, source));

/**
 * A drawing that shows the owner's mark wherever it was drawn with ours, in the group of that name. The mark's
 * names are made its own, and its styles attributes: the drawing has both, and a scene may have one style only.
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
  return drawing.replace(ours, (_, group: string) => `${group}${own}</g>`);
}

const ours = /(<g id="mark"[^>]*>).*?<\/g>/gs;

async function make(name: string, source: string): Promise<string> {
  const { buildPicture, pictureSize } = await import('./pictures.ts');
  const drawing = buildPicture(name, source);
  if (drawing.length > most) {
    const sizes = `${Math.ceil(drawing.length / 1000)} kB, and ${most / 1000} kB is the most`;
    throw new Error(`${name}: has ${sizes}: every page shows it, take a simpler one`);
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
}
