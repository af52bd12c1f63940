/**
 * Makes a drawing of `pictures/` ready to send: minified, its words outlines, and what moves in it within
 * limits: an image is still; in the page it moves by what the compositor can do alone, comes to rest by
 * itself, and never moves for those who ask for less motion.
 *
 * Animated elements carry a class, and a CSS transform replaces a transform attribute. So the
 * passes of svgo that move attributes between elements, or drop what is invisible at first, stay
 * off, and so does the one that inlines rules: it would outrank the reduced-motion rules.
 */
import { type Config, optimize } from 'svgo';

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

/** `name` is what a mistake is reported with. */
export function buildPicture(name: string, source: string): string {
  try {
    // An image can't see the page's fonts.
    if (/<text\b/.test(source)) throw new Error('has text: convert it to paths');
    const picture = optimize(source, config).data;
    const [fault] = sceneFaults(picture);
    if (fault) throw new Error(fault);
    return picture;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${name}: ${reason}`, { cause });
  }
}

export interface PictureSize {
  width: number;
  height: number;
}

/** The size written on the root element, for the `<img>` to reserve its place. */
export function pictureSize(name: string, source: string): PictureSize {
  const root = /<svg\b[^>]*>/.exec(source)?.[0] ?? '';
  const length = (side: string) => {
    const value = Number(new RegExp(`\\s${side}="([\\d.]+)"`).exec(root)?.[1]);
    if (!(value > 0)) throw new Error(`${name}: the root element has no ${side}`);
    return value;
  };
  return { width: length('width'), height: length('height') };
}

const seconds = 30;
const still = '@media (prefers-reduced-motion:reduce){*{animation:none!important}}';
const composited = /^(transform|opacity|animation-timing-function)$/;

/** What is wrong with it, in words; nothing for a drawing without motion. */
export function sceneFaults(svg: string): string[] {
  const [, css = ''] = svg.split(/<\/?style>/);
  if (!css.includes('animation')) return [];
  const rules = css.replace(still, '').replaceAll(/@keyframes [^{]+\{(?:[^{}]*\{[^{}]*\})*\}/g, '');
  return [
    ...(css.includes(still) ? [] : [`its style lacks ${still}`]),
    ...keyframes(css)
      .filter((name) => !composited.test(name))
      .map((name) => `it animates ${name}`),
    ...[...rules.matchAll(/([^{}]+)\{([^{}]*)\}/g)].flatMap(([, selectors = '', body = '']) =>
      body.includes('animation') ? ruleFaults(selectors, body) : [],
    ),
  ];
}

/** The properties that its keyframes name. */
function keyframes(css: string): string[] {
  const frames = [...css.matchAll(/@keyframes [^{]+\{((?:[^{}]*\{[^{}]*\})*)\}/g)];
  const bodies = frames.flatMap(([, body = '']) => [...body.matchAll(/\{([^{}]*)\}/g)]);
  const names = bodies.flatMap(([, body = '']) =>
    body.split(';').map((each) => each.split(':')[0]),
  );
  return [...new Set(names.map((name = '') => name.trim()).filter(Boolean))];
}

function ruleFaults(selectors: string, body: string): string[] {
  const apart = selectors.split(',').filter((selector) => !selector.trim().startsWith(':host '));
  const long = [...body.matchAll(/animation:([^;]+)/g)].filter(
    ([, value = '']) => !(length(value) <= seconds),
  );
  return [
    ...apart.map((selector) => `${selector.trim()} moves in an image too: begin with :host`),
    ...long.map(([motion]) => `${motion} lasts longer than ${seconds} s`),
  ];
}

/** Of the shorthand: duration, delay and number of times, in that order. */
function length(value: string): number {
  const words = value.replaceAll(/\([^)]*\)/g, '').split(/\s+/);
  const [duration = Number.NaN, delay = 0] = words
    .filter((word) => /^-?[\d.]+s$/.test(word))
    .map(Number.parseFloat);
  const times = words.includes('infinite')
    ? Number.POSITIVE_INFINITY
    : Number(words.find((word) => /^[\d.]+$/.test(word)) ?? 1);
  return duration * times + delay;
}
