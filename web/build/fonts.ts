/**
 * The two web fonts: cut to the characters and weights the site uses, with fallback faces of the
 * same measure, so that no line moves when the fonts arrive.
 *
 * The text face carries ASCII, the letters of the western European languages and common signs.
 * The display face, twice as heavy to send, carries what English and French headings are written
 * with; any other letter in a heading is drawn in the fallback face.
 */
import type { Font } from 'fontkit';
import subsetFont from 'subset-font';
import { type FallbackFace, fallbackWidth } from './fallback-widths.ts';
import { openPackageFont, readPackageFont } from './font-files.ts';

export interface BuiltFonts {
  files: { name: FontName; data: Buffer }[];
  /** `@font-face` rules; `url(%display%)` and `url(%text%)` wait for the final file names. */
  css: string;
}

type FontName = 'display' | 'text';

interface FallbackRule {
  weights: string;
  /** Whichever of them the machine has. */
  faces: FallbackFace[];
  /** The static cut whose widths the fallback takes over. */
  measuredCut: string;
}

interface FontPlan {
  name: FontName;
  family: string;
  source: string;
  /** One weight, or a range of them. */
  weights: number | { min: number; max: number };
  characters: string;
  sample: string;
  fallbacks: FallbackRule[];
}

const ASCII = String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 32 + i));
// Signs of program code, which no heading is written with.
const ASCII_OF_HEADINGS = ASCII.replace(/[\\^`{|}~<>_=]/g, '');
const FRENCH = 'ÀÂÇÉÈÊÎÔàâçéèêëîïôùûüœ';
const OTHER_LATIN = 'ËÏÙÛÜŒÁáÃãÄäÅåÍíÌìÑñÓóÒòÕõÖöØøÚúß';
// The first one is the no-break space.
const PUNCTUATION = '\u00a0–—‘’“”…·«»';
const SIGNS = '•×©®™°€';

const plans: FontPlan[] = [
  {
    name: 'display',
    family: 'Display',
    // The "wght" file stands at optical size 14, whose open letters suit tight tracking.
    source:
      '@fontsource-variable/bricolage-grotesque/files/bricolage-grotesque-latin-wght-normal.woff2',
    // One weight for all headings: a second one would double what is sent before the first paint.
    weights: 700,
    characters: ASCII_OF_HEADINGS + FRENCH + PUNCTUATION,
    sample: 'Websites that bring in work while you do yours, and a plan for what comes next',
    fallbacks: [
      {
        weights: '700',
        faces: ['arialBold', 'robotoBold', 'dejavuBold'],
        measuredCut:
          '@fontsource/bricolage-grotesque/files/bricolage-grotesque-latin-700-normal.woff2',
      },
    ],
  },
  {
    name: 'text',
    family: 'Text',
    source: '@fontsource-variable/geist/files/geist-latin-wght-normal.woff2',
    weights: { min: 400, max: 600 },
    characters: ASCII + FRENCH + OTHER_LATIN + PUNCTUATION + SIGNS,
    sample:
      'Tell us what takes up your time and we will show you where a page, an assistant or a small automation pays for itself first. You keep the accounts, the words and the code.',
    fallbacks: [
      {
        weights: '400 500',
        faces: ['arial', 'dejavu'],
        measuredCut: '@fontsource/geist/files/geist-latin-400-normal.woff2',
      },
      {
        weights: '600',
        faces: ['arialBold', 'robotoBold', 'dejavuBold'],
        measuredCut: '@fontsource/geist/files/geist-latin-600-normal.woff2',
      },
    ],
  },
];

/** What stands behind the name of the family, and what the font is called on machines that have it. */
const local: Record<FallbackFace, { suffix: string; names: string[] }> = {
  arial: {
    suffix: 'Fallback',
    names: [
      'Arial',
      'ArialMT',
      'Liberation Sans',
      'LiberationSans',
      'Helvetica',
      'Arimo',
      'Roboto',
    ],
  },
  arialBold: {
    suffix: 'Fallback',
    names: [
      'Arial Bold',
      'Arial-BoldMT',
      'Liberation Sans Bold',
      'LiberationSans-Bold',
      'Helvetica Bold',
      'Helvetica-Bold',
      'Arimo Bold',
    ],
  },
  robotoBold: { suffix: 'Roboto', names: ['Roboto Bold', 'Roboto-Bold'] },
  dejavu: { suffix: 'DejaVu', names: ['DejaVu Sans'] },
  dejavuBold: { suffix: 'DejaVu', names: ['DejaVu Sans Bold'] },
};

export async function buildFonts(): Promise<BuiltFonts> {
  const built = await Promise.all(plans.map(buildFont));
  return {
    files: built.map(({ name, data }) => ({ name, data })),
    css: built.map(({ css }) => css).join('\n'),
  };
}

async function buildFont(plan: FontPlan) {
  assertCoverage(plan, openPackageFont(plan.source));
  const data = await subsetFont(readPackageFont(plan.source), plan.characters, {
    targetFormat: 'woff2',
    variationAxes: { wght: plan.weights },
    keepFeatures: ['kern'],
    noHinting: true,
    dropTables: ['STAT', 'gasp'],
  });
  const { weights } = plan;
  const range = typeof weights === 'number' ? weights : `${weights.min} ${weights.max}`;
  const face =
    `@font-face{font-family:"${plan.family}";src:url(%${plan.name}%) format("woff2");` +
    `font-weight:${range};font-style:normal;font-display:swap}`;
  const fallbacks = plan.fallbacks.flatMap((rule) =>
    rule.faces.map((face) => fallbackCss(plan, rule, face)),
  );
  return { name: plan.name, data, css: [face, ...fallbacks].join('\n') };
}

function fallbackCss(plan: FontPlan, { weights, measuredCut }: FallbackRule, face: FallbackFace) {
  const font = openPackageFont(measuredCut);
  const own = font.layout(plan.sample).advanceWidth / font.unitsPerEm;
  const adjust = own / fallbackWidth(plan.sample, face);
  // The overrides are multiplied by size-adjust in the browser, so they are divided by it here.
  const override = (units: number) => percent(Math.abs(units) / font.unitsPerEm / adjust);
  const { suffix, names } = local[face];
  const sources = names.map((name) => `local("${name}")`).join(',');
  return (
    `@font-face{font-family:"${plan.family} ${suffix}";src:${sources};font-weight:${weights};` +
    `size-adjust:${percent(adjust)};ascent-override:${override(font.ascent)};` +
    `descent-override:${override(font.descent)};line-gap-override:${override(font.lineGap)}}`
  );
}

function percent(ratio: number): string {
  return `${Number((ratio * 100).toFixed(2))}%`;
}

/** A character the source lacks would silently be drawn in the fallback: stop the build instead. */
function assertCoverage(plan: FontPlan, font: Font): void {
  const missing = [...plan.characters].filter(
    (char) => !font.hasGlyphForCodePoint(char.codePointAt(0) ?? 0),
  );
  if (missing.length > 0) {
    throw new Error(`${plan.source} has no glyph for: ${missing.join(' ')}`);
  }
}
