/**
 * The two web fonts, reduced to the characters and weights the site uses. If they arrive after the first paint, the page
 * does without them, so that no line moves (../src/first-paint/README.md).
 *
 * The text face has ASCII, the letters of western European languages and common signs. The display face, twice as heavy,
 * has what English and French headings need; other letters in a heading are drawn in the system's font.
 */
import { cache } from './cache.ts';
import { hashedUrl } from './dist.ts';
import { readPackageFont } from './text-path.ts';

/** The files, their rules, and the addresses that every page asks for first. */
export async function buildFontFiles() {
  const fonts = await cache.getOrMake('fonts', [], buildFonts);
  const files = new Map<string, Buffer>();
  let { css } = fonts;
  for (const { name, data } of fonts.files) {
    const src = hashedUrl(name, 'woff2', data);
    files.set(src, Buffer.from(data));
    css = css.replaceAll(`%${name}%`, src);
  }
  return { files, css, urls: [...files.keys()] };
}

const ASCII = String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 32 + i));
// Without signs of program code, which headings don't have.
const ASCII_OF_HEADINGS = ASCII.replace(/[\\^`{|}~<>_=]/g, '');
const FRENCH = 'ÀÂÇÉÈÊÎÔàâçéèêëîïôùûüœ';
const OTHER_LATIN = 'ËÏÙÛÜŒÁáÃãÄäÅåÍíÌìÑñÓóÒòÕõÖöØøÚúß';
// The first one is the no-break space.
const PUNCTUATION = '\u00a0–—‘’“”…·«»';
const SIGNS = '•×©®™°€';

const plans = [
  {
    name: 'display',
    family: 'Display',
    // The "wght" file stands at optical size 14, whose open letters suit tight tracking.
    source:
      '@fontsource-variable/bricolage-grotesque/files/bricolage-grotesque-latin-wght-normal.woff2',
    // One weight for all headings: a second one would double what is sent before the first paint.
    weights: 700,
    characters: ASCII_OF_HEADINGS + FRENCH + PUNCTUATION,
  },
  {
    name: 'text',
    family: 'Text',
    source: '@fontsource-variable/geist/files/geist-latin-wght-normal.woff2',
    weights: { min: 400, max: 600 },
    characters: ASCII + FRENCH + OTHER_LATIN + PUNCTUATION + SIGNS,
  },
];

/** The files, and `@font-face` rules with `url(%display%)` and `url(%text%)` in place of the addresses. */
export async function buildFonts() {
  const built = await Promise.all(plans.map(buildFont));
  return {
    files: built.map(({ name, data }) => ({ name, data })),
    css: built.map(({ css }) => css).join('\n'),
  };
}

async function buildFont(plan: (typeof plans)[number]) {
  const { default: subsetFont } = await import('subset-font');
  const data = await subsetFont(readPackageFont(plan.source), plan.characters, {
    targetFormat: 'woff2',
    variationAxes: { wght: plan.weights },
    keepFeatures: ['kern'],
    noHinting: true,
    dropTables: ['STAT', 'gasp'],
  });
  const { weights } = plan;
  const range = typeof weights === 'number' ? weights : `${weights.min} ${weights.max}`;
  const css =
    `@font-face{font-family:"${plan.family}";src:url(%${plan.name}%) format("woff2");` +
    `font-weight:${range};font-style:normal;font-display:optional}`;
  return { name: plan.name, data, css };
}
