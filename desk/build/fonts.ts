/** The site's two typefaces with tabular figures. Browsers load the letters of central and eastern Europe when needed. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import subsetFont from 'subset-font';

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

// Vite serves this folder and copies it beside the script.
const folder = new URL('../.cache/fonts/', import.meta.url);
mkdirSync(folder, { recursive: true });
for (const { name, source, characters, wght } of cuts) {
  const file = new URL(`../node_modules/${source}-wght-normal.woff2`, import.meta.url);
  const font = await subsetFont(readFileSync(file), characters, {
    targetFormat: 'woff2',
    variationAxes: { wght },
    keepFeatures: ['kern', 'tnum', 'mark', 'ccmp'],
    noHinting: true,
    dropTables: ['STAT', 'gasp'],
  });
  writeFileSync(new URL(`${name}.woff2`, folder), font);
}
