/**
 * The two typefaces of the site, with figures of equal width (`tnum`), which the site's own cut lacks: the
 * desk is columns of numbers. Names come from everywhere, so that the letters of central and eastern Europe
 * are a second file for each, which a browser asks for when one of them is on the page.
 */
import { readFileSync } from 'node:fs';
import subsetFont from 'subset-font';
import type { Plugin } from 'vite';

const range = (from: number, to: number) =>
  String.fromCharCode(...Array.from({ length: to - from + 1 }, (_, i) => from + i));
const LATIN = `${range(0x20, 0x7e)}${range(0xa0, 0xff)}ŒœŸ–—‘’“”„…•·‹›€™−→`;
const LATIN_EXTENDED = range(0x100, 0x17f).replace(/[ŒœŸ]/g, '') + range(0x218, 0x21b);

const geist = '@fontsource-variable/geist/files/geist';
const bricolage = '@fontsource-variable/bricolage-grotesque/files/bricolage-grotesque';
const textWeights = { min: 400, max: 600 };

const cuts = [
  { name: 'text', source: `${geist}-latin`, characters: LATIN, wght: textWeights },
  { name: 'text-ext', source: `${geist}-latin-ext`, characters: LATIN_EXTENDED, wght: textWeights },
  { name: 'display', source: `${bricolage}-latin`, characters: LATIN, wght: 700 },
  { name: 'display-ext', source: `${bricolage}-latin-ext`, characters: LATIN_EXTENDED, wght: 700 },
];

async function build({ source, characters, wght }: (typeof cuts)[number]): Promise<Buffer> {
  const file = new URL(`../node_modules/${source}-wght-normal.woff2`, import.meta.url);
  return await subsetFont(readFileSync(file), characters, {
    targetFormat: 'woff2',
    variationAxes: { wght },
    keepFeatures: ['kern', 'tnum', 'mark', 'ccmp'],
    noHinting: true,
    dropTables: ['STAT', 'gasp'],
  });
}

/** Puts them beside the script; the development server cuts each on its first request. */
export function fonts(): Plugin {
  return {
    name: 'fonts',
    async generateBundle() {
      for (const cut of cuts)
        this.emitFile({ type: 'asset', fileName: `${cut.name}.woff2`, source: await build(cut) });
    },
    configureServer(server) {
      const built = new Map<string, Promise<Buffer>>();
      server.middlewares.use(async (request, response, next) => {
        const cut = cuts.find(({ name }) => request.url === `/${name}.woff2`);
        if (!cut) return next();
        if (!built.has(cut.name)) built.set(cut.name, build(cut));
        response.setHeader('Content-Type', 'font/woff2').end(await built.get(cut.name));
      });
    },
  };
}
